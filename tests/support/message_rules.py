"""The rules over all a client hears: answers, events and questions in one order (protocol 4.7, 4.11)."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aglet.doors.shapes import is_object

Message = dict[str, Any]


def check_messages(messages: Sequence[Message], asked: Mapping[Any, tuple[str, Message]]) -> None:
    """Every rule; `asked` are the requests of the client, by id: method and params."""
    answers = [message for message in messages if "method" not in message]
    counts = Counter(message["id"] for message in answers if message.get("id") in asked)
    assert max(counts.values(), default=0) <= 1, "a request is answered once"
    for answer in answers:
        check_answer(answer)
    for place, message in enumerate(messages):
        method, params = asked.get(message.get("id"), ("", {}))
        if method == "agent/run" and "result" in message and "method" not in message:
            _check_run(messages, place, waited=params.get("wait") is True)
        if message.get("method") in {"agent/requestPermission", "agent/askUser"}:
            _check_question(messages, place)
        if message.get("method") == "workspace/applyEdit":
            _check_edit(messages[:place])


def check_answer(answer: Message) -> None:
    """A result or an error; an error says what it is, for programs, and nothing of the server's insides."""
    assert ("result" in answer) != ("error" in answer)
    if "error" in answer:
        error = answer["error"]
        assert isinstance(error["data"]["kind"], str)
        assert isinstance(error["data"]["retryable"], bool)
        assert error["data"]["kind"] != "internal", error
        assert "Traceback" not in str(error)


def _check_run(messages: Sequence[Message], place: int, *, waited: bool) -> None:
    result = messages[place]["result"]
    assert ("stopReason" in result) == waited
    if result["runId"] in [_run_of(message) for message in messages[:place]]:
        return  # it was asked for again, with the same clientKey
    first = _first(messages, lambda e: e.get("runId") == result["runId"])
    end = _first(messages, lambda e: e["type"] == "runEnded" and e["runId"] == result["runId"])
    if waited:
        assert end is None or end < place, "with wait the answer follows runEnded"
    elif result["outcome"] != "injected":
        assert first is None or place < first, "the admission precedes the first event of its run"


def _check_question(messages: Sequence[Message], place: int) -> None:
    request_id = messages[place]["params"]["requestId"]
    opened = _first(messages, lambda e: e["type"] == "requestOpened" and _asks(e, request_id))
    resolved = _first(messages, lambda e: e["type"] == "requestResolved" and _asks(e, request_id))
    if _first(messages, lambda e: True) is not None:
        assert opened is not None, "requestOpened precedes the request"
        assert opened < place, "requestOpened precedes the request"
        assert resolved is None or place < resolved, "requestResolved follows it"


def _check_edit(before: Sequence[Message]) -> None:
    open_calls: set[tuple[str, str]] = set()
    for event in (event for message in before for event in _events(message)):
        if event["type"] == "itemStarted" and event["data"]["item"]["kind"] == "toolCall":
            open_calls.add((event["sessionId"], event["itemId"]))
        if event["type"] == "itemCompleted":
            open_calls.discard((event["sessionId"], event["itemId"]))
    assert open_calls or not any(_events(message) for message in before), "an edit is part of a call"


def _run_of(message: Message) -> str:
    result = message.get("result")
    return result.get("runId", "") if is_object(result) else ""


def _asks(event: Message, request_id: str) -> bool:
    return event["data"]["requestId"] == request_id


def _first(messages: Sequence[Message], wanted: Callable[[Message], bool]) -> int | None:
    places = (place for place, message in enumerate(messages) if any(map(wanted, _events(message))))
    return next(places, None)


def _events(message: Message) -> list[Message]:
    return message["params"]["events"] if message.get("method") == "agent/event" else []
