"""Import of the session files of Claw Code: one JSON document with messages, counters and settings.

Claw Code is another coding agent; it writes one such file for each session. The messages become runs, each
begun by one message of the user. What has no place among our facts is kept as a note, except keys. A result
without a call becomes a message, a call without a result is closed: our histories have neither.
"""

import json
from collections.abc import Iterator
from typing import Any

from agls.engine.facts import (
    Admitted,
    Fact,
    Injected,
    Noted,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    Used,
)
from agls.engine.vocabulary import (
    Content,
    Image,
    JsonObject,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
    Usage,
    UserMessage,
)
from agls.json_values import is_list, is_object

ORIGIN = "import"
ROLES = ("system", "user", "assistant", "tool")
NOT_KEPT = ("messages", "session_id", "usage", "total_cost_usd")  # they have facts of their own
SECRET = ("key", "token", "secret", "password", "authorization")
NO_RESULT = "[The result of this call is not in the file.]"
DONE = Stop(StopReason.END_TURN)


def converted(text: str) -> list[Fact] | str:
    """Return the facts of the document, or the reason why it is no session."""
    try:
        document: object = json.loads(text, parse_constant=str)
    except (ValueError, RecursionError):
        return "it is neither an export of agls nor a JSON document."
    if not is_object(document) or not is_list(document.get("messages")):
        return 'it is JSON, but no session: a session has "messages".'
    if wrong := _wrong(document["messages"]):
        return wrong
    return list(_facts(document))


def _wrong(messages: list[Any]) -> str:
    """Name the first message that cannot be read, "" when all can."""
    for number, message in enumerate(messages):
        if not is_object(message) or message.get("role") not in ROLES:
            return f"messages[{number}] must be an object whose role is one of {', '.join(ROLES)}."
    return "" if messages else "it has no messages."


def _facts(document: JsonObject) -> Iterator[Fact]:
    runtime = document.get("runtime_config")
    cwd = runtime.get("cwd") if is_object(runtime) else None
    yield SessionChanged(cwd=cwd if isinstance(cwd, str) else "")
    rest = {name: _without_secrets(value) for name, value in document.items() if name not in NOT_KEPT}
    yield Noted("history", "imported", {"sessionId": str(document.get("session_id", "")), **rest})
    runs = _Runs()
    for message in document["messages"]:
        yield from runs.take(message)
    usage, cost = document.get("usage"), document.get("total_cost_usd")
    if is_object(usage) or cost:
        yield Used(ORIGIN, _usage(usage if is_object(usage) else {}), _number(cost))
    yield from runs.end()


class _Runs:
    """Turns messages into runs."""

    def __init__(self) -> None:
        self._number = 0
        self._run_id = ""
        self._open: dict[str, ToolCall] = {}
        self._used: set[str] = set()

    def take(self, message: JsonObject) -> Iterator[Fact]:
        """Yield the facts of one more message."""
        self._number += 1
        match message["role"]:
            case "user":
                yield from self.end()
                yield from self._begin(_content(message))
            case "assistant":
                yield from self._begin(()) if not self._run_id else ()
                yield from self._said(message)
            case "tool":
                yield from self._begin(()) if not self._run_id else ()
                yield from self._result(message)
            case _:  # its system prompt was made for another program; it is kept in the note
                return

    def end(self) -> Iterator[Fact]:
        """Yield the end of the run that is open."""
        yield from self._settle()
        if self._run_id:
            yield RunEnded(self._run_id, DONE)
        self._run_id = ""

    def _settle(self) -> Iterator[Fact]:
        """Yield the ends of the calls that have no result, before anything else is said."""
        for call_id in self._open:
            yield ToolFinished(call_id, ToolOutcome(NO_RESULT, "cancelled"))
        self._open.clear()

    def _begin(self, content: tuple[Content, ...]) -> Iterator[Fact]:
        self._run_id, item_id = f"run_{self._number}", f"item_{self._number}"
        yield Admitted(self._run_id, item_id, content)
        yield RunStarted(self._run_id, item_ids=(item_id,) if content else ())

    def _said(self, message: JsonObject) -> Iterator[Fact]:
        yield from self._settle()
        given = message.get("tool_calls")
        calls = tuple(self._call(call, n) for n, call in enumerate(given if is_list(given) else []))
        self._open |= {call.call_id: call for call in calls}
        yield TurnStarted(f"turn_{self._number}", "")
        finish = "tool_calls" if calls else "stop"
        yield Replied(f"item_{self._number}", _words(message), "", calls, finish, cost=0.0)

    def _call(self, call: Any, number: int) -> ToolCall:
        asked = call if is_object(call) else {}
        inner = asked.get("function")
        function = inner if is_object(inner) else asked
        wanted = str(asked.get("id") or f"call_{self._number}_{number}")
        call_id = wanted if wanted not in self._used else f"{wanted}_{self._number}_{number}"
        self._used.add(call_id)
        arguments, malformed = _arguments(function.get("arguments"))
        return ToolCall(call_id, str(function.get("name") or "unknown"), arguments, malformed)

    def _result(self, message: JsonObject) -> Iterator[Fact]:
        wanted = str(message.get("tool_call_id") or "")
        call = next((c for i, c in self._open.items() if i == wanted or i.startswith(f"{wanted}_")), None)
        if call is None:
            text = f"[A result of {message.get('name') or 'a tool'} whose call is not in the file]\n"
            said = (Text(text + _words(message)),)
            yield from self._settle()
            yield Injected((UserMessage(f"item_{self._number}", said, ORIGIN),))
            return
        del self._open[call.call_id]
        yield ToolStarted(call.call_id, call.name, call.arguments)
        status = "failed" if _failed(message) else "completed"
        yield ToolFinished(call.call_id, ToolOutcome(_words(message), status))


def _failed(message: JsonObject) -> bool:
    data = message.get("metadata")
    return is_object(data) and (data.get("ok") is False or data.get("is_error") is True)


def _arguments(given: Any) -> tuple[JsonObject, str]:
    if is_object(given):
        return given, ""
    try:
        read: object = json.loads(given, parse_constant=str) if isinstance(given, str) and given else {}
    except (ValueError, RecursionError):
        read = None
    return (read, "") if is_object(read) else ({}, str(given))


def _words(message: JsonObject) -> str:
    parts = _content(message)
    return "\n".join(part.text for part in parts if isinstance(part, Text))


def _content(message: JsonObject) -> tuple[Content, ...]:
    given = message.get("content")
    if isinstance(given, str) and given:
        return (Text(given),)
    blocks = given if is_list(given) else message.get("blocks")
    return tuple(filter(None, map(_block, blocks if is_list(blocks) else [])))


def _block(block: Any) -> Content | None:
    if not is_object(block):
        return Text(str(block))
    text, source = block.get("text", block.get("content")), block.get("source")
    if isinstance(text, str):
        return Text(text) if text else None
    if is_object(source) and isinstance(source.get("data"), str):
        return Image(source["data"], str(source.get("media_type", "image/png")))
    return None if "tool" in str(block.get("type")) else Text(json.dumps(block, ensure_ascii=False))


def _usage(given: JsonObject) -> Usage:
    return Usage(
        _count(given, "input_tokens", "prompt_tokens"),
        _count(given, "output_tokens", "completion_tokens"),
        _count(given, "reasoning_tokens"),
        _count(given, "cache_read_input_tokens", "cache_read_tokens"),
        _count(given, "cache_creation_input_tokens", "cache_write_tokens"),
    )


def _count(given: JsonObject, *names: str) -> int | None:
    found = [given[name] for name in names if isinstance(given.get(name), int)]
    return max(0, int(found[0])) if found else None


def _number(given: Any) -> float:
    fits = isinstance(given, int | float) and 0 <= given < float("inf")
    return float(given) if fits else 0.0


def _without_secrets(value: Any) -> Any:
    """Return the value without members whose names say that they are keys; a count of tokens is none."""
    if is_list(value):
        return [_without_secrets(item) for item in value]
    if not is_object(value):
        return value
    return {
        name: _without_secrets(item)
        for name, item in value.items()
        if not (isinstance(item, str) and any(word in name.lower() for word in SECRET))
    }
