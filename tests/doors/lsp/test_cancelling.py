"""Every way to cancel a run, and its one end (protocol 4.9)."""

import time
from functools import partial

from aglet.doors.fold import fold
from support.patience import TRIES, within
from support.wire import Message, Wire, frame, turns
from support.wire_rules import check_wire

from .conftest import Serve

HANGING = {"turns": [{"text": "I begin", "hang": True}]}

STUBBORN = {"text": "x", "calls": [{"name": "shell", "arguments": {"command": "trap '' TERM; sleep 9"}}]}


def test_cancel_gives_a_receipt_and_keeps_the_text(serve: Serve) -> None:
    wire = serve(HANGING, "queued")
    wire.initialize()
    session = wire.session()
    assert wire.call("agent/cancel", {"sessionId": session})["state"] == "notRunning"
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    run = {"runId": wire.event("runStarted")["runId"]}
    queued = wire.call("agent/run", {"sessionId": session, "input": "next"})
    wire.event("itemDelta")
    receipt = wire.call("agent/cancel", {"sessionId": session, "queued": "drop"})
    assert receipt == {
        "state": "cancelling", "runId": run["runId"], "kept": [], "dropped": [queued["runId"]],
    }  # fmt: skip
    wire.event("sessionState", state="idle")
    items = [item for item in fold(wire.events).items.values() if item["kind"] == "message"]
    assert [(item["status"], item["text"]) for item in items] == [("cancelled", "I begin")]
    wire.answer_of(request)
    again = wire.call("agent/cancel", {"sessionId": session, "runId": run["runId"]})
    assert again["state"] == "alreadyEnded"
    check_wire(wire.events)


def test_a_cancel_ends_a_run_at_once(serve: Serve) -> None:
    wire = serve(*[HANGING] * TRIES)
    wire.initialize()
    session = wire.session()
    for number, watch in enumerate(within(0.2), 1):
        request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
        wire.until(partial(said, wire, number))
        with watch:
            wire.call("agent/cancel", {"sessionId": session})
            assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"


def said(wire: Wire, number: int, message: Message) -> bool:
    """Whether the model has begun to speak so often."""
    return sum(event["type"] == "itemDelta" for event in wire.events) >= number


def test_cancelling_a_waiting_request_cancels_the_run_and_is_answered_with_a_result(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    request = wire.post("agent/run", {"sessionId": wire.session(), "input": "go", "wait": True})
    wire.event("itemDelta")
    wire.notify("$/cancelRequest", {"id": request})
    wire.notify("$/cancelRequest", {"id": request})
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    check_wire(wire.events)


def test_a_cancel_right_behind_the_prompt_is_not_lost(serve: Serve) -> None:
    wire = serve(*[HANGING] * 20)
    wire.initialize()
    session = wire.session()
    for _ in range(20):
        request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
        wire.notify("$/cancelRequest", {"id": request})
        assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    check_wire(wire.events)


def test_cancelling_the_same_request_twice_is_answered_once_with_the_end(serve: Serve) -> None:
    """The second comes while the first is ending a command that does not want to end."""
    wire = serve(turns(STUBBORN, "never"))
    wire.initialize()
    session = wire.session(options={"mode": "allowAll"})
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("itemUpdated", patch={"status": "running"})
    wire.notify("$/cancelRequest", {"id": request})
    time.sleep(0.3)
    wire.notify("$/cancelRequest", {"id": request})
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    check_wire(wire.events)


def test_every_waiting_request_is_answered_however_many_end_at_once(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    asked = {"sessionId": wire.session(), "input": "go", "wait": True}
    requests = [wire.post("agent/run", asked) for _ in range(40)]
    wire.until(lambda m: sum(e["type"] == "runAdmitted" for e in wire.events) == 40)
    wire.call("agent/cancel", {"sessionId": asked["sessionId"], "queued": "drop"})
    assert {wire.answer_of(n)["result"]["stopReason"] for n in requests} == {"cancelled"}
    check_wire(wire.events)


def test_a_waiting_run_is_cancelled_without_asking_the_model(serve: Serve) -> None:
    wire = serve(HANGING, "never")
    wire.initialize()
    session = wire.session()
    first = wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.event("runAdmitted", admission="queued")
    wire.notify("$/cancelRequest", {"id": request})
    ended = wire.answer_of(request)["result"]
    assert (ended["stopReason"], ended["filesChanged"]) == ("cancelled", [])
    assert [e["runId"] for e in wire.events if e["type"] == "runStarted"] == [first["runId"]]
    assert wire.call("agent/cancel", {"sessionId": session})["runId"] == first["runId"]
    wire.event("sessionState", state="idle")
    check_wire(wire.events)


def test_a_run_and_its_cancel_in_one_write_never_reach_the_model(serve: Serve) -> None:
    wire = serve(HANGING, "next")
    wire.initialize()
    session = wire.session()
    asked = {"sessionId": session, "input": "go", "wait": True}
    run = {"jsonrpc": "2.0", "id": "r", "method": "agent/run", "params": asked}
    stop = {"jsonrpc": "2.0", "id": "c", "method": "agent/cancel", "params": {"sessionId": session}}
    wire.write(frame(run) + frame(stop))
    assert wire.answer_of("c")["result"]["state"] == "cancelling"
    assert wire.answer_of("r")["result"]["stopReason"] == "cancelled"
    check_wire(wire.events)


def test_many_starts_and_cancels_are_all_answered(serve: Serve) -> None:
    wire = serve({"turns": [{"text": "I", "hang": True}], "match": ""})
    wire.initialize()
    session = wire.session()
    ids: list[int] = []
    for _ in range(100):
        ids.append(wire.post("agent/run", {"sessionId": session, "input": "go"}))
        ids.append(wire.post("agent/cancel", {"sessionId": session, "queued": "drop"}))
    for number in ids:
        assert "result" in wire.answer_of(number)
    wire.until(lambda m: sum(event["type"] == "runEnded" for event in wire.events) == 100)
    check_wire(wire.events)
