"""Assembles tool calls from fragments, in the forms of all known servers."""

import json
from dataclasses import dataclass, field
from typing import Any, cast

from agls.engine.ports import new_id
from agls.engine.vocabulary import JsonObject, ToolCall
from agls.json_values import is_object, object_in, text_in
from agls.models.unicode import valid_unicode
from agls.regex import regex

CUT_OFF = "[cut off by the output limit]"
DEEPEST = 128  # arrays and objects, one in the other: no tool takes more, and nobody could show them
HALF = regex(r"\\u[dD][89a-fA-F]|[\ud800-\udfff]")


@dataclass(slots=True)
class _Parts:
    call_id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list[str])
    extra: JsonObject = field(default_factory=dict[str, Any])

    @property
    def empty(self) -> bool:
        return not self.name and not "".join(self.arguments).strip()


class ToolCalls:
    """Collects fragments into calls.

    A fragment belongs to the call with its index. Without an index a name begins a new call, and so
    does a new id together with a name under an index that is taken. An id and a name are set once:
    later fragments repeat them, or carry "" or null.
    """

    def __init__(self) -> None:
        self._calls: list[_Parts] = []
        self._by_index: dict[int, _Parts] = {}

    def take(self, fragment: JsonObject) -> None:
        """Take one element of `tool_calls`, or the old `function_call` as `{"function": …}`."""
        function = object_in(fragment.get("function"))
        call_id, name = text_in(fragment.get("id")), text_in(function.get("name"))
        parts = self._parts(fragment.get("index"), call_id, name)
        parts.call_id = parts.call_id or call_id
        parts.name = parts.name or name
        parts.extra.update(object_in(fragment.get("extra_content")))
        arguments = function.get("arguments")
        if isinstance(arguments, str):
            parts.arguments.append(arguments)
        elif arguments is not None:
            parts.arguments.append(json.dumps(arguments))

    def finished(self, *, cut: bool) -> tuple[ToolCall, ...]:
        """Return the calls in order. With `cut` the last one counts only with complete arguments."""
        made = [parts for parts in self._calls if not parts.empty]
        return tuple(_call(parts, cut=cut and parts is made[-1]) for parts in made)

    @property
    def any(self) -> bool:
        """Whether there is any call."""
        return any(not parts.empty for parts in self._calls)

    @property
    def size(self) -> int:
        """The characters of the calls so far."""
        return sum(len(parts.name) + sum(map(len, parts.arguments)) for parts in self._calls)

    def extras(self) -> list[JsonObject]:
        """Return the data of each call that must be sent back with it (Gemini's thought signatures)."""
        return [parts.extra for parts in self._calls if not parts.empty]

    def _parts(self, index: object, call_id: str, name: str) -> _Parts:
        if isinstance(index, int):
            known = self._by_index.get(index)
            if known is None or (name and call_id and known.call_id and call_id != known.call_id):
                known = self._by_index[index] = self._begun()
            return known
        same = next((parts for parts in self._calls if call_id and parts.call_id == call_id), None)
        if same or (self._calls and not name):
            return same or self._calls[-1]
        return self._begun()

    def _begun(self) -> _Parts:
        self._calls.append(_Parts())
        return self._calls[-1]


def _call(parts: _Parts, *, cut: bool) -> ToolCall:
    raw = "".join(parts.arguments).strip()
    call_id = parts.call_id or new_id("call")
    arguments = parsed(raw)
    if arguments is None or (cut and not raw):
        raw = valid_unicode(raw)
        return ToolCall(call_id, parts.name, {}, f"{CUT_OFF} {raw}" if cut else raw)
    return ToolCall(call_id, parts.name, arguments)


def parsed(raw: str) -> JsonObject | None:
    """Return the arguments as an object, {} for nothing and `null`; `None` when they are no JSON object."""
    if raw in {"", "null"}:
        return {}
    try:
        value = json.loads(raw, parse_constant=_no_constant)
        if HALF.search(raw):  # of a character: written as an escape, or where two pieces met
            value = json.loads(valid_unicode(json.dumps(value, ensure_ascii=False)))
        if raw.count("[") + raw.count("{") > DEEPEST and _depth(value) > DEEPEST:
            return None
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) else None


def _depth(value: object) -> int:
    """Return the nesting depth of arrays and objects. Raises `RecursionError`."""
    inner = cast("JsonObject", value).values() if isinstance(value, dict) else value
    return 1 + max(map(_depth, cast("list[Any]", inner)), default=0) if isinstance(value, dict | list) else 0


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")
