"""Exchanges with model servers and how they must be read: recorded ones, and our own small ones."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from agls.engine.vocabulary import ToolCall
from agls.models.errors import CallFailed
from support.model_asking import Heard
from support.model_dialects import LINES
from support.model_replies import Raw, scattered

RECORDED = Path(__file__).parents[2].parent / "shared" / "wire" / "recordings"
OWN = Path(__file__).parents[1] / "models" / "fixtures"
DIALECTS = {"messages": "anthropic", "other": "chat"}  # where `api` and our name differ
KINDS = {
    "auth": {"auth"},
    "model_not_found": {"modelNotFound"},
    "rate_limit": {"rateLimit"},
    "quota": {"quota"},
    "overloaded": {"overloaded"},
    "server": {"providerInternal"},
    "content_filter": {"contentFilter"},
    "tool_use_failed": {"badRequest"},
    "bad_request": {"badRequest"},
    "context_overflow": {"contextTooLong"},
    "length": set[str](),
}
FINISHES = {"complete": "stop", "tool_calls": "tool_calls", "length": "length", "refusal": "refusal"}
UNSAID: dict[str, Any] = {
    "text": "",
    "reasoning": "",
    "refusal": None,
    "tool_calls": [],
    "usage": None,
    "error": None,
    "meaning": "complete",
}


@dataclass(frozen=True)
class Exchange:
    """What a server sent, and what of it must be understood. `body` is everything, byte for byte.

    `last` is the event that ends a stream of a dialect that this module has no rule for.
    """

    id: str
    provider: str
    dialect: str
    stream: bool
    status: int
    headers: dict[str, str]
    body: bytes
    expected: dict[str, Any]
    last: dict[str, Any] | None = None

    def raw(self, seed: int, end: int | None = None) -> Raw:
        """The answer in pieces cut at random places, up to byte `end`."""
        return Raw(scattered(self.body[:end], seed), self.status, self.headers)


def recorded() -> Sequence[Exchange]:
    """The recordings beside the project; none when they are not there."""
    return [_recorded(path) for path in sorted(RECORDED.glob("*.json"))]


def own() -> Sequence[Exchange]:
    """Our own: one for each quirk."""
    return [
        _own(path.stem, case)
        for path in sorted(OWN.glob("*.json"))
        for case in json.loads(path.read_text(encoding="utf-8"))
    ]


def _recorded(path: Path) -> Exchange:
    data = json.loads(path.read_text(encoding="utf-8"))
    response = data["response"]
    body = "".join(response["events"]) if "events" in response else response["body"]
    kept = {k: v for k, v in response["headers"].items() if k not in {"transfer-encoding", "content-type"}}
    content_type = response["headers"].get("content-type", "application/json")
    return Exchange(
        data["id"],
        data["provider"],
        DIALECTS.get(str(data["api"]), str(data["api"])),
        data["stream"],
        response["status"],
        {"Content-Type": content_type, **kept},
        body.encode(),
        {**UNSAID, **data["expected"]},
    )


def _own(dialect: str, case: dict[str, Any]) -> Exchange:
    """A case of a fixture file: `events` (objects, or lines as they are) or one `body`."""
    end = case.get("line_end", "\n")
    if "events" in case:
        form = "{}" + end if dialect in LINES else "data: {}" + end * 2
        lines = (e + end if isinstance(e, str) else form.format(_compact(e)) for e in case["events"])
        body = "".join(lines)
    else:
        body = case["body"] if isinstance(case["body"], str) else _compact(case["body"])
    return Exchange(
        case["id"],
        case["provider"],
        dialect,
        "events" in case,
        case.get("status", 200),
        {"Content-Type": "text/event-stream" if "events" in case else "application/json"}
        | case.get("headers", {}),
        body.encode(),
        {**UNSAID, **case["expected"]},
        _last_event(case.get("events", [])),
    )


def _last_event(events: Sequence[Any]) -> dict[str, Any] | None:
    found = [cast("dict[str, Any]", event) for event in events if isinstance(event, dict)]
    return found[-1] if found else None


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


# --- comparing -----------------------------------------------------------------------------------


def check(heard: Heard, expected: dict[str, Any]) -> None:
    """Fail unless all was heard as it must be."""
    check_words(heard, expected)
    if expected["error"]:
        check_error(heard, expected)
    else:
        check_reply(heard, expected)


def check_words(heard: Heard, expected: dict[str, Any]) -> None:
    """The text and the reasoning."""
    if split := expected.get("think_split"):
        found = (heard.thinking.strip(), heard.text.strip())
        assert found == (split["reasoning"].strip(), split["text"].strip())
    else:
        assert heard.text == expected["text"] + (expected["refusal"] or "")
        assert heard.thinking == expected["reasoning"]


def check_reply(heard: Heard, expected: dict[str, Any]) -> None:
    """The reply: the words again, calls, how it finished, usage."""
    reply = heard.reply
    assert reply is not None, heard.error
    assert (reply.text, reply.thinking) == (heard.text, heard.thinking)
    check_calls(reply.tool_calls, expected)
    meaning = expected["meaning"].split(" ")[0]
    if reply.tool_calls or meaning != "tool_calls":
        assert reply.finish == FINISHES.get(meaning, "content_filter")
    usage: dict[str, Any] = expected["usage"] or {}
    given, made, total = (usage.get(key) for key in ("input", "output", "total"))
    hidden = max((total or 0) - (given or 0) - (made or 0), 0)
    assert reply.usage.input_tokens == given
    assert reply.usage.output_tokens == ((made or 0) + hidden if made or hidden else made)
    assert (reply.usage.cache_read_tokens or 0) == (usage.get("cached") or 0)
    assert reply.usage.reasoning_tokens == (usage.get("reasoning") or hidden or usage.get("reasoning"))


def check_calls(calls: Sequence[ToolCall], expected: dict[str, Any]) -> None:
    """The calls, each whole; one whose input is no JSON is kept as it was written."""
    wanted = [call for call in expected["tool_calls"] if call["name"]]
    assert len(calls) == len(wanted)
    assert all(_as_expected(call, each) for call, each in zip(calls, wanted, strict=True))


def _as_expected(call: ToolCall, wanted: dict[str, Any]) -> bool:
    known = bool(call.call_id) and call.call_id == (wanted.get("id") or call.call_id)
    arguments = wanted["arguments"]
    said = call.malformed if isinstance(arguments, str) else call.arguments
    return (
        known
        and (call.name, said) == (wanted["name"], arguments)
        and bool(call.malformed) == (call.malformed == arguments)
    )


def check_error(heard: Heard, expected: dict[str, Any]) -> None:
    """The failure: its kind, its status, the server's words, and the numbers of an overflow."""
    error = expected["error"]
    kinds = [error["kind"], *error.get("also_kinds", [])]
    assert heard.reply is None
    if heard.overflow:
        assert "context_overflow" in kinds
        assert heard.overflow.limit == error.get("limit_tokens")
        over, limit = error.get("over_by_tokens"), error.get("limit_tokens")
        assert heard.overflow.used == error.get("requested_tokens", over and limit and over + limit)
        return
    assert heard.error is not None
    assert heard.error.kind in set[str]().union(*(KINDS[kind] for kind in kinds))
    assert heard.error.status == error["status"]
    failure = heard.error.failure if isinstance(heard.error, CallFailed) else None
    assert failure is not None
    assert failure.is_retryable == error["retryable"] or heard.text  # which is why it is not tried again
    assert failure.wait == error.get("retry_after_s", 0.0)
    assert error["message"].split("\n")[0][:60] in str(heard.error) or "key" in str(heard.error)


# --- where an answer is over ---------------------------------------------------------------------


def said_finished(body: bytes, exchange: Exchange, *, ended: bool = True) -> bool:
    """Return whether this beginning of the exchange's stream holds the event that completes the answer.

    With `ended` the server closed the stream itself, which ends its last event too.
    """
    dialect = exchange.dialect
    body = body.replace(b"\r\n", b"\n").replace(b"\r", b"\n")  # a CR alone ends a line, too
    if not ended:
        body = body[: body.rfind(b"\n" if dialect in LINES else b"\n\n") + 1]
    for line in body.split(b"\n"):
        data = line.removeprefix(b"data:").strip()
        if data == b"[DONE]" and dialect == "chat":
            return True
        try:
            value: Any = json.loads(data)
        except ValueError:
            continue
        if data.startswith(b"{") and _is_last(value, exchange):
            return True
    return False


def _is_last(event: dict[str, Any], exchange: Exchange) -> bool:
    choices: list[Any] = event.get("choices") or []
    match exchange.dialect:
        case "chat":
            return any(c.get("finish_reason") and not c.get("index") for c in choices)
        case "responses":
            return event.get("type") in {"response.completed", "response.incomplete", "response.failed"}
        case "anthropic":
            return event.get("type") == "message_stop"
        case "gemini":
            blocked = event.get("promptFeedback", {}).get("blockReason")
            return bool(blocked) or any(c.get("finishReason") for c in event.get("candidates", []))
        case "ollama":
            return event.get("done") is True
        case _:
            return event == exchange.last
