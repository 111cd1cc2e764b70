"""The rules over all a client hears: answers, events and questions in one order (protocol#order, #errors)."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from agls.json_values import is_object, object_in
from agls_protocol.errors import ERRORS

Message = dict[str, Any]


Said = Sequence[tuple[str, Message]]  # who ("client" or "server") said what, in order
KNOWN = {(error.code, error.kind): error.retryable for error in ERRORS}
ANSWERED = {"selected", "dismissed", "accepted", "declined"}
ANSWERING = {"agent/respond", "workspace/executeCommand"}
TAKING_BACK = {"agent/action/invoke", "agent/session/rewind", "workspace/executeCommand"}


def check_messages(said: Said) -> None:
    """Every rule, over all that went both ways on one connection."""
    requests = [m for who, m in said if who == "client" and "method" in m and _named(m)]
    times = Counter(request["id"] for request in requests)
    asked = {request["id"]: request for request in requests if times[request["id"]] == 1}
    taking_back = any(request["method"] in TAKING_BACK for request in requests)
    messages = [message for who, message in said if who == "server"]
    answers = [message for message in messages if "method" not in message]
    counts = Counter(message["id"] for message in answers if message.get("id") in times)
    assert counts <= times, "a request is answered once"
    for answer in answers:
        check_answer(answer)
    _check_together(messages)
    places = _Places(messages)
    for place, message in enumerate(messages):
        request = asked.get(message.get("id"), {})
        if request.get("method") == "agent/run" and "result" in message and "method" not in message:
            _check_run(places, message["result"], place, waited=_waits(request))
        if message.get("method") in {"agent/requestPermission", "agent/askUser"}:
            _check_question(places, message["params"]["requestId"], place)
    if not taking_back:
        _check_edits(messages)
    _check_resolved(said)
    _check_versions(said)


class _Places:
    """Where runs and questions stand first among the messages: in events, and runs in answers."""

    def __init__(self, messages: Sequence[Message]) -> None:
        self.begins: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.answers: dict[str, int] = {}
        self.opened: dict[str, int] = {}
        self.resolved: dict[str, int] = {}
        self.has_events = False
        by_type = {"runEnded": self.ends, "requestOpened": self.opened, "requestResolved": self.resolved}
        for place, message in enumerate(messages):
            self.answers.setdefault(_run_of(message), place)
            for event in _events(message):
                self.has_events = True
                self.begins.setdefault(event.get("runId", ""), place)
                if (firsts := by_type.get(event["type"])) is not None:
                    name = event["runId"] if firsts is self.ends else event["data"]["requestId"]
                    firsts.setdefault(name, place)


def _named(message: Message) -> bool:
    return isinstance(message.get("id"), int | str)


def _waits(request: Message) -> bool:
    return object_in(request, "params").get("wait") is True


def check_answer(answer: Message) -> None:
    """A result or an error; an error says what it is, for programs, and nothing of the server's insides."""
    assert ("result" in answer) != ("error" in answer)
    if "error" in answer:
        error = answer["error"]
        name = (error["code"], error["data"]["kind"])
        assert name in KNOWN, f"{name} is none of the protocol's errors"
        assert error["data"]["retryable"] is KNOWN[name], f"{name}: retryable is fixed"
        assert error["data"]["kind"] != "internal", error
        assert "Traceback" not in str(error)


def _check_together(messages: Sequence[Message]) -> None:
    """All events of one fact travel in one notification, and facts rise."""
    last: dict[str, int] = {}
    for message in messages:
        here = {(event["sessionId"], event["seq"]) for event in _events(message) if "seq" in event}
        for session_id, seq in sorted(here):
            assert seq > last.get(session_id, 0), "all events of one fact are in one notification"
            last[session_id] = seq


def _check_resolved(said: Said) -> None:
    """What the human answered is resolved after the answer."""
    requests: dict[Any, str] = {}  # questions of the server, by the id of their request
    answered: set[str] = set()
    elsewhere = False  # by a command or a method: it names the question in one way or another
    for who, message in said:
        if who == "client":
            elsewhere |= message.get("method") in ANSWERING
            if "method" not in message and _named(message):
                answered.add(requests.get(message["id"], ""))
        elif message.get("method") in {"agent/requestPermission", "agent/askUser"}:
            requests[message["id"]] = message["params"]["requestId"]
        for event in _events(message):
            if event["type"] == "requestResolved" and event["data"]["requestId"] in requests.values():
                known = event["data"]["requestId"] in answered or elsewhere
                assert known or event["data"]["outcome"] not in ANSWERED, "requestResolved follows its answer"


def _check_versions(said: Said) -> None:
    """An edit made through the editor completes with a version that the editor told."""
    told: set[Any] = set()
    for _, message in said:
        if message.get("method") in {"textDocument/didOpen", "textDocument/didChange"}:
            document = object_in(message, "params", "textDocument")
            told.add((document.get("uri"), document.get("version")))
        if message.get("method") == "agent/editNotebook":  # a notebook has no version of LSP
            told.add((object_in(message, "params").get("uri"), None))
        for event in _events(message):
            if event["type"] == "itemCompleted":
                for change in event["data"]["item"].get("changes", ()):
                    seen = (change["uri"], change["result"].get("version"))
                    assert change["via"] != "editor" or seen in told, "the version that was seen is told"


def _check_run(places: _Places, result: Message, place: int, *, waited: bool) -> None:
    assert ("action" in result) == (result["outcome"] == "action")
    if not result["runId"]:  # a command that began no run
        assert "action" in result
        return
    assert ("stopReason" in result) == waited
    if places.answers[result["runId"]] < place:
        return  # it was asked for again, with the same clientKey
    first, end = places.begins.get(result["runId"]), places.ends.get(result["runId"])
    if waited:
        assert end is None or end < place, "with wait the answer follows runEnded"
    elif result["outcome"] != "injected":
        assert first is None or place < first, "the admission precedes the first event of its run"


def _check_question(places: _Places, request_id: str, place: int) -> None:
    opened, resolved = places.opened.get(request_id), places.resolved.get(request_id)
    if places.has_events:
        assert opened is not None, "requestOpened precedes the request"
        assert opened < place, "requestOpened precedes the request"
        assert resolved is None or place < resolved, "requestResolved follows it"


def _check_edits(messages: Sequence[Message]) -> None:
    open_calls: set[tuple[str, str]] = set()
    had_events = False
    for message in messages:
        if message.get("method") == "workspace/applyEdit":
            assert open_calls or not had_events, "an edit is part of a call"
        for event in _events(message):
            had_events = True
            if event["type"] == "itemStarted" and event["data"]["item"]["kind"] == "toolCall":
                open_calls.add((event["sessionId"], event["itemId"]))
            if event["type"] == "itemCompleted":
                open_calls.discard((event["sessionId"], event["itemId"]))


def _run_of(message: Message) -> str:
    result = message.get("result")
    return result.get("runId", "") if is_object(result) else ""


def _events(message: Message) -> list[Message]:
    return message["params"]["events"] if message.get("method") == "agent/event" else []
