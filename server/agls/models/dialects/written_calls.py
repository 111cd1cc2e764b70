"""Tool calls within the text, in the formats of the templates that models are trained with.

Only complete calls of offered tools at the end of a text count as calls. Everything else stays text.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object, object_in, objects_in, text_in
from agls.models.dialects.tool_calls import parsed
from agls.regex import regex

Call = tuple[str, JsonObject]
Tools = Mapping[str, JsonObject]  # the schemas of the arguments, by name
KEYS = "name|function|tool|tool_name|tool_calls|type"  # the first key of a call
BEGINS = regex(
    r"<tool_calls?>|<function(?:=|_calls?>| name=)|<invoke name=|<tool_use>|<\|python_tag\|>|\[TOOL_CALLS\]"
    r"|<\|tool_calls?_(?:section_)?begin\|>|<｜tool▁calls?▁begin｜>|<\|channel\|>commentary"
    rf"|```(?:json|xml|tool_call|tool_code)?\s*\n\s*(?:<|\[?\s*\{{\s*\"(?:{KEYS})\")"
    rf"|\[?\s*\{{\s*\"(?:{KEYS})\""
)
LITERALS = (
    "<tool_calls>",
    "<function=",
    "<function_calls>",
    "<function name=",
    "<invoke name=",
    "<tool_use>",
    "<|python_tag|>",
    "[TOOL_CALLS]",
    "<|tool_calls_section_begin|>",
    "<|tool_call_begin|>",
    "<｜tool▁calls▁begin｜>",
    "<｜tool▁call▁begin｜>",
    "<|channel|>commentary",
)
WRAPPERS = (
    ("<tool_calls>", "</tool_calls>"),
    ("<function_calls>", "</function_calls>"),
    (r"```(?:json|xml|tool_call|tool_code)?\s*\n", r"\n\s*```"),
)
OPEN_FENCE = regex(
    r"`{1,3}|```(?:json|xml|tool_call|tool_code)?\s*(?:\[?\s*(?:\{\s*(?:\"\w*)?)?)?|```[a-z_]+"
)
OPEN_JSON = regex(r"\[?\s*(?:\{\s*(?:\"\w*)?)?")
SIGNS = regex(r"[<`\[]")  # within a text a call begins with one of these
LONGEST = 60  # characters in which it is decided whether a call begins
ENDS = regex(r"(?:\s|<\|(?:eot_id|eom_id|im_end|end|call|endoftext)\|>|</s>)+\Z")


class WrittenCalls:
    """Holds text back from where a call may begin until that is decided."""

    def __init__(self, tools: Tools) -> None:
        self._tools = tools
        self._held = ""
        self._holding = self._spoken = False

    def feed(self, text: str) -> str:
        """Take more text. Returns the part that is certainly text."""
        if not self._tools or (self._spoken and not self._held and not SIGNS.search(text)):
            return text
        self._held += text
        released = ""
        while self._held and not self._holding:
            start = self._start()
            released, self._held = released + self._held[:start], self._held[start:]
            self._spoken = self._spoken or bool(released.strip())
            if not self._held or self._may_begin():
                break
            released, self._held = released + self._held[0], self._held[1:]
            self._spoken = True
        if self._holding and self._held.startswith("```") and self._closed_fence():
            released += self._released()
        return released

    def close(self, *, whole: bool) -> tuple[str, list[Call]]:
        """Return the held-back text, or its calls if the answer is `whole`."""
        calls = calls_in(self._held, self._tools) if self._holding and whole else []
        held, self._held = self._held, ""
        self._holding = False
        return ("", calls) if calls else (held, [])

    def _start(self) -> int:
        """Return where a call may begin: at a tag, bracket or fence, or at JSON at the very beginning."""
        signs = "<`[" if self._spoken or self._held.lstrip()[:1] != "{" else "<`[{"
        return min(
            (place for sign in signs if (place := self._held.find(sign)) >= 0), default=len(self._held)
        )

    def _may_begin(self) -> bool:
        """Return whether the held text begins a call, or may begin one."""
        if self._spoken and self._held[0] == "[" and not "[TOOL_CALLS]".startswith(self._held[:12]):
            return False
        if BEGINS.match(self._held):
            self._holding = True
            return True
        if len(self._held) > LONGEST:
            return False
        literal = any(each.startswith(self._held) for each in LITERALS)
        return literal or bool((OPEN_FENCE if self._held[0] == "`" else OPEN_JSON).fullmatch(self._held))

    def _closed_fence(self) -> bool:
        """Return whether the held fence is closed and holds no call."""
        end = self._held.find("\n```", 3)
        after = self._held[end + 4 :]
        return end >= 0 and (bool(after.strip()) or (after != "" and not calls_in(self._held, self._tools)))

    def _released(self) -> str:
        released, self._held = self._held, ""
        self._holding, self._spoken = False, True
        return released


def calls_in(text: str, tools: Tools) -> list[Call]:
    """Return the calls that the whole text consists of; none when it holds anything else."""
    text = ENDS.sub("", text).strip()
    for spelling in SPELLINGS:
        try:
            found = list(spelling(text, tools))
        except (ValueError, RecursionError):
            continue
        if found and all(name in tools for name, _ in found):
            return found
    return []


# --- spellings: each yields the calls of a text in its format, nothing for others, or raises `ValueError` ---


def _blocks(text: str, begin: str, end: str) -> list[str]:
    """Return the contents of the blocks that the text consists of. Raises `ValueError` for other text."""
    block = re.compile(rf"\s*{begin}(.*?){end}\s*", re.DOTALL)
    found, at = list[str](), 0
    while at < len(text):
        if not (match := block.match(text, at)):
            raise ValueError("something else")
        found.append("\0".join(group or "" for group in match.groups()))
        at = match.end()
    return found


def _tagged(text: str, tools: Tools) -> Iterator[Call]:
    """`<tool_call>{…}</tool_call>` (Hermes, Qwen), with JSON, XML or `<arg_key>` (GLM) inside."""
    for tag in ("tool_call", "function_call", "tool_use"):
        if not text.startswith(f"<{tag}>"):
            continue
        for inner in _blocks(text, f"<{tag}>", f"</{tag}>"):
            yield from _inner(inner.strip(), tools)


def _inner(inner: str, tools: Tools) -> Iterator[Call]:
    if inner.startswith("<"):
        yield from calls_in(inner, tools) or _none()
    elif inner.startswith(("{", "[")):
        yield from _json(inner, tools)
    else:
        name, _, rest = inner.partition("<")
        pairs = _blocks("<" + rest, r"<arg_key>(.*?)</arg_key>\s*<arg_value>", "</arg_value>") if rest else []
        yield _typed(name.strip(), (pair.split("\0", 1) for pair in pairs), tools)


def _sections(text: str, tools: Tools) -> Iterator[Call]:
    """Calls in a wrapper: `<tool_calls>…</tool_calls>`, `<function_calls>…</function_calls>`, a fence."""
    for begin, end in WRAPPERS:
        if re.match(begin, text):
            for inner in _blocks(text, begin, end):
                yield from calls_in(inner, tools) or _none()


def _functions(text: str, tools: Tools) -> Iterator[Call]:
    """`<function=NAME>{…}</function>` (Llama), or with `<parameter=KEY>…</parameter>` inside (Qwen coder)."""
    for inner in _blocks(text, r"<function(?:=| name=)\"?([\w.-]+)\"?>", "</function>"):
        name, body = inner.split("\0", 1)
        if body.strip().startswith("{"):
            yield name, _object(body)
        else:
            pairs = _blocks(body, r"<parameter(?:=| name=)\"?([\w.-]+)\"?>\n?", r"\n?</parameter>")
            yield _typed(name, (pair.split("\0", 1) for pair in pairs), tools)


def _invokes(text: str, tools: Tools) -> Iterator[Call]:
    """`<invoke name="NAME"><parameter name="KEY">…</parameter></invoke>`."""
    for inner in _blocks(text, r"<invoke name=\"([\w.-]+)\">", "</invoke>"):
        name, body = inner.split("\0", 1)
        pairs = _blocks(body, r"<parameter name=\"([\w.-]+)\"[^>]*>", "</parameter>")
        yield _typed(name, (pair.split("\0", 1) for pair in pairs), tools)


def _mistral(text: str, tools: Tools) -> Iterator[Call]:
    """`[TOOL_CALLS][{…}]`, or `[TOOL_CALLS]NAME[ARGS]{…}`."""
    for part in text.split("[TOOL_CALLS]")[1:] if text.startswith("[TOOL_CALLS]") else ():
        name, _, arguments = part.partition("[ARGS]")
        if part.lstrip().startswith(("[", "{")):
            yield from _json(part, tools)
        else:
            yield name.strip(), _object(arguments)


def _llama(text: str, tools: Tools) -> Iterator[Call]:
    """`<|python_tag|>{…}; {…}`."""
    if text.startswith("<|python_tag|>"):
        yield from _json(text.removeprefix("<|python_tag|>").replace("};", "}\n"), tools)


def _kimi(text: str, tools: Tools) -> Iterator[Call]:
    """`<|tool_call_begin|>functions.NAME:0<|tool_call_argument_begin|>{…}<|tool_call_end|>`."""
    text = text.removeprefix("<|tool_calls_section_begin|>").removesuffix("<|tool_calls_section_end|>")
    begin = r"<\|tool_call_begin\|>\s*(?:functions\.)?([\w.-]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>"
    for inner in _blocks(text, begin, r"<\|tool_call_end\|>"):
        name, arguments = inner.split("\0", 1)
        yield name, _object(arguments)


def _deepseek(text: str, tools: Tools) -> Iterator[Call]:
    """`<｜tool▁call▁begin｜>function<｜tool▁sep｜>NAME` and JSON in a fence, or `NAME<｜tool▁sep｜>{…}`."""
    text = text.removeprefix("<｜tool▁calls▁begin｜>").removesuffix("<｜tool▁calls▁end｜>")
    begin = r"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>([\w.-]+)\s*```json|([\w.-]+)<｜tool▁sep｜>)"
    for inner in _blocks(text, begin, r"(?:```)?\s*<｜tool▁call▁end｜>"):
        first, second, arguments = inner.split("\0", 2)
        yield first or second, _object(arguments)


def _harmony(text: str, tools: Tools) -> Iterator[Call]:
    """`<|channel|>commentary to=functions.NAME <|constrain|>json<|message|>{…}` (gpt-oss)."""
    begin = r"<\|channel\|>commentary to=functions\.([\w.-]+)[^{]*<\|message\|>(.*)"
    for inner in _blocks(text, begin, r"\Z"):
        name, arguments = inner.split("\0", 2)[:2]
        yield name, _object(arguments)


def _json(text: str, tools: Tools) -> Iterator[Call]:
    """`{"name": …, "arguments": {…}}` and its kin; one, several, or a list of them."""
    decoder, text = json.JSONDecoder(), text.strip()
    while text:
        value, end = cast("tuple[object, int]", decoder.raw_decode(text))
        text = text[end:].lstrip(" \t\r\n,;")
        for each in objects_in(value) or [object_in(value)]:
            for call in objects_in(each.get("tool_calls")) or [each]:
                yield _called(call)


def _called(value: JsonObject) -> Call:
    function = object_in(value.get("function")) or value
    names = (text_in(function.get(key)) for key in ("name", "tool", "tool_name", "function"))
    keys = ("arguments", "parameters", "args", "input", "tool_input")
    arguments = next((function[key] for key in keys if key in function), None)
    if isinstance(arguments, str):
        arguments = parsed(arguments)
    return next(filter(None, names), ""), _as_object(arguments)


def _object(text: str) -> JsonObject:
    return _as_object(json.loads(text))


def _as_object(value: object) -> JsonObject:
    if is_object(value):
        return value
    raise ValueError("no object")


def _typed(name: str, pairs: Iterator[list[str]], tools: Tools) -> Call:
    """Convert arguments in text form to the types of the tool's schema."""
    members = object_in(tools.get(name, {}).get("properties"))
    arguments: JsonObject = {}
    for key, value in pairs:
        wanted = object_in(members.get(key.strip()))
        kinds = [wanted.get("type"), *(each.get("type") for each in objects_in(wanted.get("anyOf")))]
        arguments[key.strip()] = value if "string" in kinds else _value(value)
    return name, arguments


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _none() -> list[Call]:
    raise ValueError("no calls")


SPELLINGS: tuple[Callable[[str, Tools], Iterator[Call]], ...] = (
    _tagged,
    _sections,
    _functions,
    _invokes,
    _mistral,
    _llama,
    _kimi,
    _deepseek,
    _harmony,
    _json,
)
