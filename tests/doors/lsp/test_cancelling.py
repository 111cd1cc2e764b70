"""Every way to cancel a run, and its one end (protocol#cancel)."""

import random
import time
from functools import partial

import pytest

from agls.views.transcript import fold
from support.patience import TRIES, wait_until, within
from support.wire import Message, Wire, events_in, frame, turns
from support.wire_rules import check_events

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
    check_events(wire.events)


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


@pytest.mark.item(27)
def test_cancelling_a_waiting_request_cancels_the_run_and_is_answered_with_a_result(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    request = wire.post("agent/run", {"sessionId": wire.session(), "input": "go", "wait": True})
    wire.event("itemDelta")
    wire.notify("$/cancelRequest", {"id": request})
    wire.notify("$/cancelRequest", {"id": request})
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    check_events(wire.events)


def test_a_cancel_right_behind_the_prompt_is_not_lost(serve: Serve) -> None:
    wire = serve(*[HANGING] * 20)
    wire.initialize()
    session = wire.session()
    for _ in range(20):
        request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
        wire.notify("$/cancelRequest", {"id": request})
        assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    check_events(wire.events)


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
    check_events(wire.events)


def test_every_waiting_request_is_answered_however_many_end_at_once(serve: Serve) -> None:
    wire = serve(HANGING)
    wire.initialize()
    asked = {"sessionId": wire.session(), "input": "go", "wait": True}
    requests = [wire.post("agent/run", asked) for _ in range(40)]
    wire.until(lambda m: sum(e["type"] == "runAdmitted" for e in wire.events) == 40)
    wire.call("agent/cancel", {"sessionId": asked["sessionId"], "queued": "drop"})
    assert {wire.answer_of(n)["result"]["stopReason"] for n in requests} == {"cancelled"}
    check_events(wire.events)


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
    check_events(wire.events)


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
    check_events(wire.events)


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
    check_events(wire.events)


ANYTHING = {"match": "", "repeat": True, "turns": [{"text": ["a", "b", "c"], "delay": 0.002}]}


@pytest.mark.parametrize("races", [40, pytest.param(400, marks=pytest.mark.slow)])
def test_a_cancel_that_names_no_run_never_reaches_the_next_one(serve: Serve, races: int) -> None:
    """It comes once or twice, at a random moment around the end of the run, by itself or by a cancel."""
    wire = serve(ANYTHING, limits="known=600.0")
    wire.initialize()
    session = wire.session()
    cancel = {"sessionId": session}
    chance = random.Random(3)
    for _ in range(races):
        run = {"sessionId": session, "input": "go", "wait": True}
        first, second = wire.post("agent/run", run), wire.post("agent/run", run)
        time.sleep(chance.uniform(0, 0.02))
        receipts = [wire.post("agent/cancel", cancel) for _ in range(chance.choice([1, 2]))]
        if chance.random() < 0.5:  # or when the first is known to be over
            wire.answer_of(first)
            receipts.append(wire.post("agent/cancel", cancel))
        ended = wire.answer_of(second)["result"]
        told = [wire.answer_of(receipt)["result"] for receipt in receipts]
        if ended["outcome"] == "queued":  # else the first was over before it was asked for: it began at once
            assert ended["stopReason"] == "endTurn"
            assert all(t["state"] != "cancelling" or t.get("runId") != ended["runId"] for t in told)


def test_a_run_that_began_by_itself_can_be_cancelled_when_its_client_can_know_of_it(serve: Serve) -> None:
    hang = {"turns": [{"text": "I begin", "hang": True}]}
    wire = serve(*[hang] * 4, limits="known=600.0")
    wire.initialize()
    session = wire.session()
    cancel = {"sessionId": session}
    runs = [wire.call("agent/run", {"sessionId": session, "input": "go"})["runId"] for _ in range(3)]
    assert wire.call("agent/cancel", cancel) == {
        "state": "cancelling", "runId": runs[0], "kept": runs[1:], "dropped": [],
    }  # fmt: skip
    begun = wire.until(lambda m: any(began(event, runs[1]) for event in events_in(m)))
    again = {"state": "alreadyEnded", "runId": runs[0], "kept": runs[1:], "dropped": []}
    assert [wire.call("agent/cancel", cancel) for _ in range(3)] == [again] * 3
    (seq,) = (event["seq"] for event in events_in(begun) if began(event, runs[1]))
    wire.notify("agent/ack", {"sessionId": session, "seq": seq})
    assert wire.call("agent/cancel", cancel)["runId"] == runs[1]
    wire.until(lambda m: any(began(event, runs[2]) for event in events_in(m)))
    interrupting = wire.call("agent/run", {"sessionId": session, "input": "go", "admission": "interrupt"})
    wire.until(lambda m: any(began(event, interrupting["runId"]) for event in events_in(m)))
    assert wire.call("agent/cancel", cancel)["runId"] == interrupting["runId"]


def test_a_client_that_has_read_for_a_while_knows_what_began(serve: Serve) -> None:
    wire = serve(HANGING, HANGING, limits="known=0.2")
    wire.initialize()
    session = wire.session()
    runs = [wire.call("agent/run", {"sessionId": session, "input": "go"})["runId"] for _ in range(2)]
    wire.call("agent/cancel", {"sessionId": session, "runId": runs[0]})
    wire.until(lambda m: any(began(event, runs[1]) for event in events_in(m)))
    wait_until(lambda: wire.call("agent/cancel", {"sessionId": session})["state"] != "alreadyEnded")
    wire.until(lambda m: any(e["type"] == "runEnded" and e["runId"] == runs[1] for e in events_in(m)))


def began(event: Message, run_id: str) -> bool:
    return event["type"] == "runStarted" and event["runId"] == run_id
