"""Runs through a real process: order, waiting, queueing, steering, going on, keys."""

import pytest

from agls.views.transcript import fold
from support.wire import Message, Wire, events_in, turns
from support.wire_rules import check_events

from .conftest import Serve

pytestmark = pytest.mark.promise("P8")

HANGING = {"turns": [{"text": "I begin", "hang": True}]}

SLOW = {"turns": [{"text": ["one ", "two ", "three"], "delay": 0.3}]}


def told(wire: Wire, run_id: str, type: str) -> int:
    """The place of the message that tells this of the run."""

    def tells(message: Message) -> bool:
        return any(e["type"] == type and e.get("runId") == run_id for e in events_in(message))

    return wire.index(tells)


def test_an_admitted_run_is_answered_before_its_first_event(serve: Serve) -> None:
    wire = serve("hello")
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go"})
    wire.event("runEnded")
    result = wire.answer_of(request)["result"]
    assert result["outcome"] == "started"
    assert "stopReason" not in result
    assert wire.index(lambda m: m.get("id") == request) < told(wire, result["runId"], "runAdmitted")
    check_events(wire.events)


def test_waiting_run_request_is_answered_with_the_end_of_the_run(serve: Serve) -> None:
    wire = serve({"turns": [{"text": "hello", "usage": {"input": 7, "output": 2}}]})
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    result = wire.answer_of(request)["result"]
    assert (result["stopReason"], result["filesChanged"]) == ("endTurn", [])
    assert result["usage"] == {"inputTokens": 7, "outputTokens": 2}
    assert told(wire, result["runId"], "runEnded") < wire.index(lambda m: m.get("id") == request)
    assert result["itemId"] in fold(wire.events).items


def test_a_model_error_ends_the_run_and_is_no_error_of_the_request(serve: Serve) -> None:
    wire = serve({"turns": [{"error": {"kind": "quota", "message": "used up", "hint": "Pay."}}]})
    wire.initialize()
    result = wire.run(wire.session())
    assert result["stopReason"] == "error"
    title = "The quota is used up"
    assert result["error"] == {"kind": "quota", "message": "used up Pay.", "title": title}


def test_a_second_prompt_is_queued_or_refused_as_asked(serve: Serve) -> None:
    wire = serve(SLOW, "second")
    wire.initialize()
    session = wire.session()
    first = wire.call("agent/run", {"sessionId": session, "input": "a", "clientKey": "k1"})
    again = wire.call("agent/run", {"sessionId": session, "input": "a", "clientKey": "k1"})
    assert again["runId"] == first["runId"]
    other = wire.ask("agent/run", {"sessionId": session, "input": "b", "clientKey": "k1"})["error"]
    assert (other["code"], other["data"]["kind"]) == (-33010, "keyConflict")
    busy = wire.ask("agent/run", {"sessionId": session, "input": "b", "admission": "ifIdle"})["error"]
    assert (busy["code"], busy["data"]["kind"], busy["data"]["runId"]) == (
        -33001, "runActive", first["runId"],
    )  # fmt: skip
    assert busy["data"]["retryable"]
    second = wire.run(session, "b")
    assert (second["outcome"], second["stopReason"]) == ("queued", "endTurn")
    check_events(wire.events)


def test_steering_reaches_the_running_run(serve: Serve) -> None:
    wire = serve(turns({"text": ["one ", "two"], "delay": 0.3}), "steered")
    wire.initialize()
    session = wire.session()
    run = wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    wrong = wire.ask("agent/steer", {"sessionId": session, "input": "left", "expectedRunId": "run_x"})
    assert wrong["error"]["data"]["kind"] == "runMismatch"
    done = wire.call("agent/steer", {"sessionId": session, "input": "left", "expectedRunId": run["runId"]})
    assert (done["outcome"], done["runId"]) == ("injected", run["runId"])
    wire.event("runEnded")
    assert fold(wire.events).items[done["itemId"]]["steer"]
    idle = wire.call("agent/steer", {"sessionId": session, "input": "late"})
    assert idle == {"outcome": "returned"}
    check_events(wire.events)


def test_steered_message_of_a_cancelled_run_is_reported_and_kept(serve: Serve) -> None:
    wire = serve({"turns": [{"text": "I", "hang": True}], "match": ""}, "next")
    wire.initialize()
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("itemDelta")
    late = wire.call("agent/steer", {"sessionId": session, "input": "left"})
    assert late["outcome"] == "injected"
    wire.call("agent/cancel", {"sessionId": session})
    wire.answer_of(request)
    item = fold(wire.events).items[late["itemId"]]
    assert (item["steer"], item["content"][0]["text"]) == (True, "left")
    snapshot = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]
    assert snapshot["items"] == list(fold(wire.events).items.values())
    check_events(wire.events)


def test_the_same_key_is_answered_alike_however_late(serve: Serve) -> None:
    """While it runs, when it is over, and when the session was closed in between."""
    wire = serve({"turns": [{"text": "I", "usage": {"input": 7, "output": 2}, "wait": 0.2}]})
    wire.initialize()
    session = wire.session()
    requests = [wire.post("agent/run", run_with_key(session)) for _ in range(2)]
    first, second = (wire.answer_of(number)["result"] for number in requests)
    third = wire.call("agent/run", run_with_key(session))
    wire.call("agent/session/close", {"sessionId": session})
    fourth = wire.call("agent/run", run_with_key(session))
    for again in (second, third, fourth):
        assert {**again, "outcome": first["outcome"]} == first
    assert first["usage"] == {"inputTokens": 7, "outputTokens": 2}
    assert sum(event["type"] == "runEnded" for event in wire.events) == 1


def run_with_key(session: str) -> Message:
    return {"sessionId": session, "input": "go", "wait": True, "clientKey": "mine"}


def test_only_what_did_not_come_to_its_end_can_be_continued(serve: Serve) -> None:
    wire = serve({"turns": [{"text": "I begin", "hang": True}, {"text": "the end"}]})
    wire.initialize()
    session = wire.session()
    goes_on = {"sessionId": session, "continueRun": True, "wait": True}
    nothing = wire.ask("agent/run", goes_on)["error"]
    assert (nothing["code"], nothing["data"]["kind"]) == (-33002, "noActiveRun")
    run = wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    busy = wire.ask("agent/run", goes_on)["error"]
    assert (busy["data"]["kind"], busy["data"]["runId"]) == ("runActive", run["runId"])
    wire.call("agent/cancel", {"sessionId": session})
    wire.event("sessionState", state="idle")
    done = wire.call("agent/run", goes_on)
    assert done["stopReason"] == "endTurn"
    assert wire.event("runAdmitted", recovers=run["runId"])["runId"] == done["runId"]
    assert wire.ask("agent/run", goes_on)["error"]["data"]["kind"] == "noActiveRun"
    check_events(wire.events)


def test_queue_is_limited(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    limit = 256
    for _ in range(limit + 1):
        wire.post("agent/run", {"sessionId": session, "input": "go"})
    wire.until(lambda m: sum(e["type"] == "runAdmitted" for e in wire.events) == limit + 1)
    error = wire.ask("agent/run", {"sessionId": session, "input": "go"})["error"]
    assert (error["code"], error["data"]["kind"]) == (-33007, "overloaded")
    assert error["data"]["retryAfterMs"] > 0
    dropped = wire.call("agent/cancel", {"sessionId": session, "queued": "drop"})["dropped"]
    assert len(dropped) == limit


def test_excluded_types_are_not_sent(serve: Serve) -> None:
    wire = serve("hi")
    wire.initialize({"protocolVersions": [1], "events": {"exclude": ["itemDelta", "contextUsage"]}})
    wire.run(wire.session())
    types = {event["type"] for event in wire.events}
    assert "itemCompleted" in types
    assert not types & {"itemDelta", "contextUsage"}
