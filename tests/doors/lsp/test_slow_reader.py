"""A client that stops reading, reads slowly, or asks for less (protocol#flow)."""

import threading
import time
from datetime import datetime
from itertools import pairwise
from typing import Any

import pytest

from agls.doors.agent.limits import MAX_QUEUED, REPLAYED_EVENTS, ConnectionLimits
from agls.doors.messages import dumps
from agls.engine.loop import GRACE
from agls.views.transcript import fold
from support.leftovers import at_rest, resident
from support.patience import TRIES, wait_until
from support.wire import AGENT, Wire, frame, turns
from support.wire_rules import check_events

from .conftest import Serve

pytestmark = [pytest.mark.process, pytest.mark.promise("P8")]

HANGING = {"turns": [{"text": "I begin", "hang": True}]}
LIMITS = ConnectionLimits()
PATIENT = (
    "stuck=3600"  # until all text has streamed a busy machine may need longer than a client may not read
)


def ended(wire: Wire, session: str) -> None:
    """Wait until the run has ended, by what the server wrote to the disk: nobody reads what it says."""
    journal = wire.workspace.parent / "state" / "sessions" / f"{session}.jsonl"
    wait_until(lambda: '"run_ended"' in journal.read_text())


def agent(**events: Any) -> dict[str, Any]:
    return {**AGENT, "events": events}


def message_of(wire: Wire, *, skipping: bool = False) -> dict[str, Any]:
    """The only message, as a client knows it; with `skipping` one that ignores the numbers it knows."""
    told = news(wire) if skipping else wire.events
    return next(item for item in fold(told).items.values() if item["kind"] == "message")


def news(wire: Wire) -> list[dict[str, Any]]:
    """The events without those of a notification that repeats a number: all of one fact travel together."""
    told, known = list[dict[str, Any]](), 0
    for message in wire.of_method("agent/event"):
        told += [event for event in message["params"]["events"] if event.get("seq", known + 1) > known]
        known = max([known, *(event["seq"] for event in told if "seq" in event)])
    return told


@pytest.mark.item(28, 44)
def test_a_client_that_stops_reading_can_still_cancel_and_gets_a_right_transcript(serve: Serve) -> None:
    pieces = [f"{n:05d} é" + "e" * 49 for n in range(50_000)]
    long = turns({"text": "".join(pieces), "chunk": len(pieces[0]), "delay": 0, "hang": True})
    wire = serve(long, long, limits=PATIENT)
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    at_rest(wire)
    wire.call("agent/cancel", {"sessionId": session})
    wire.event("sessionState", state="idle")
    before = resident(wire)  # after the same work for a client that reads
    wire.forget()
    wire.reading.clear()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    at_rest(wire)
    cancel = wire.post("agent/cancel", {"sessionId": session})
    at_rest(wire)
    grown, read_again = resident(wire) - before, time.time()
    wire.reading.set()
    assert wire.answer_of(cancel)["result"]["state"] == "cancelling"
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    assert grown < 32, "what waits for the client"
    ended = datetime.fromisoformat(wire.event("runEnded")["ts"]).timestamp()
    assert ended < read_again, "the cancel did not wait for the client"
    check_events(wire.events)
    item = message_of(wire)
    assert item == message_of(wire, skipping=True), "who skips the numbers it knows misses nothing"
    assert item["status"] == "cancelled"
    assert item["text"] == "".join(pieces)[: len(item["text"])]
    assert len(item["text"]) > 100_000, "more than a pipe holds"
    deltas = [event for event in wire.events if event["type"] == "itemDelta"]
    assert len(deltas) < len(pieces) / 10


@pytest.mark.item(28)
def test_client_that_reads_again_gets_missed_events_in_an_idle_session(serve: Serve) -> None:
    pieces = [f"{n:05d} " + "x" * 500 for n in range(10_000)]
    wire = serve(turns({"text": pieces, "delay": 0, "hang": True}), limits=PATIENT)
    wire.initialize()
    session = wire.session()
    wire.reading.clear()
    wire.post("agent/run", {"sessionId": session, "input": "go"})
    at_rest(wire)
    wire.reading.set()
    wire.event("gap")
    text = "".join(pieces)
    wire.until(lambda m: any(text in item.get("text", "") for item in fold(wire.events).items.values()))


def test_client_that_reads_nothing_is_detached_and_its_session_continues(serve: Serve) -> None:
    calls = [{"name": "grep", "arguments": {"pattern": f"p{n}"}} for n in range(30)]
    made = [{"text": "x" * 20_000, "calls": [call], "wait": 0.1} for call in calls]
    wire = serve(turns(*made, {"text": "done"}), limits="stuck=0.4")
    wire.initialize()
    session = wire.session()
    wire.reading.clear()
    wire.post("agent/run", {"sessionId": session, "input": "go"})
    ended(wire, session)
    wire.reading.set()
    wire.event("notice", kind="detached")
    told = wire.events
    assert told[-1]["data"]["kind"] == "detached"
    seqs = [event["seq"] for event in told if "seq" in event]
    assert all(after - before in {0, 1} for before, after in pairwise(seqs)), "what was told has no hole"
    cursor = {"epoch": told[-1]["epoch"], "seq": seqs[-1]}
    asked = {"sessionId": session, "replay": "since", "after": cursor, "maxBytes": 2 << 20}
    missed = wire.call("agent/resume", asked)
    events = told[:-1] + missed["events"]
    assert [event["seq"] for event in events if "seq" in event][-1] > seqs[-1]
    ends = [event["data"]["stopReason"] for event in events if event["type"] == "runEnded"]
    assert ends == ["endTurn"], "the session went on without its client"


def test_more_waiting_than_may_wait_detaches_at_once(serve: Serve) -> None:
    calls = [{"name": "grep", "arguments": {"pattern": f"p{n}"}} for n in range(16)]
    made = [{"text": "x" * 60_000, "calls": [call]} for call in calls]
    wire = serve(turns(*made, {"text": "done"}), limits="most=500_000")
    wire.initialize()
    session = wire.session()
    wire.reading.clear()
    wire.post("agent/run", {"sessionId": session, "input": "go"})
    at_rest(wire)
    wire.reading.set()
    wire.event("notice", kind="detached")


def test_a_session_that_is_not_idle_gives_signs_of_life(serve: Serve) -> None:
    wire = serve(HANGING, limits="heartbeat=0.1")
    wire.initialize()
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.until(lambda m: sum(event["type"] == "heartbeat" for event in wire.events) >= 3)
    beat = wire.event("heartbeat")
    assert beat["data"] == {"seq": beat["after"], "state": "running"}
    wire.call("agent/cancel", {"sessionId": session})
    wire.event("sessionState", state="idle")
    count = sum(event["type"] == "heartbeat" for event in wire.events)
    time.sleep(0.4)
    assert sum(event["type"] == "heartbeat" for event in wire.events) == count, "none while idle"
    check_events(wire.events)


def test_a_client_that_acknowledges_gets_no_more_deltas_than_it_has_credit(serve: Serve) -> None:
    pieces = [f"{n:04d} " + "x" * 5_000 for n in range(60)]  # none of them merges with the next
    wire = serve(turns({"text": pieces, "delay": 0.002, "hang": True}), limits="credit=20")
    wire.initialize()
    session = wire.session()
    wire.notify("agent/ack", {"sessionId": session, "seq": 0})
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    text = "".join(pieces)
    asked = {"sessionId": session, "replay": "none"}
    while text not in [item.get("text") for item in wire.call("agent/resume", asked)["openItems"]]:
        time.sleep(0.05)
    assert len(wire.events) <= 21
    assert "gap" not in {event["type"] for event in wire.events}
    last = max(event["seq"] for event in wire.events if "seq" in event)
    wire.notify("agent/ack", {"sessionId": session, "seq": last})
    wire.event("gap")
    wire.until(lambda m: text == message_of(wire)["text"])
    wire.call("agent/cancel", {"sessionId": session})
    wire.event("sessionState", state="idle")
    check_events(wire.events)


def test_a_client_that_draws_slowly_gets_deltas_as_seldom_as_it_wants(serve: Serve) -> None:
    wire = serve(turns({"text": ["ab "] * 300, "delay": 0.002}))
    wire.initialize(agent(coalesceMs=200))
    begun = time.monotonic()
    wire.run(wire.session())
    lasted = time.monotonic() - begun
    deltas = [event for event in wire.events if event["type"] == "itemDelta"]
    others = 3  # the first, the last, and one whose wait had begun before the first
    assert 2 <= len(deltas) <= lasted / 0.2 + others
    assert message_of(wire)["text"] == "ab " * 300
    check_events(wire.events)


def test_deltas_are_sent_at_once_to_a_client_that_reads(serve: Serve) -> None:
    wire = serve(*[turns({"text": ["ab "] * 30, "delay": 0.03})] * TRIES)
    wire.initialize()

    def deltas() -> int:
        session = wire.session(clientKey=f"{len(wire.asked)}")
        wire.run(session)
        mine = [event for event in wire.events if event["sessionId"] == session]
        return sum(event["type"] == "itemDelta" for event in mine)

    assert any(deltas() >= 15 for _ in range(TRIES)), "not on a timer, not merged"


@pytest.mark.parametrize("most", [None, 5_000])
def test_no_event_is_larger_than_the_client_takes(serve: Serve, most: int | None) -> None:
    long = "".join(f"{n:06d}é" for n in range(60_000))
    call = {"text": "", "calls": [{"name": "nothing", "arguments": {"a": ["y" * 1_000] * 400, "b": long}}]}
    wire = serve(turns(call, {"text": long, "chunk": 100_000, "delay": 0}))
    wire.initialize(agent(maxBytes=most) if most else None)
    content = [{"type": "text", "text": long}, {"type": "text", "text": "x"}]
    wire.call("agent/run", {"sessionId": wire.session(), "input": content, "wait": True})
    size = most or LIMITS.event
    sizes = [len(dumps(event).encode()) for event in wire.events]
    assert max(sizes) <= size
    assert message_of(wire)["text"] == long, "what streamed is whole"
    shortened = {event["type"] for event in wire.events if event.get("_meta", {}).get("shortened")}
    assert {"runAdmitted", "itemStarted", "itemCompleted"} <= shortened
    check_events(wire.events)


def test_limits_in_the_initialize_result_hold(serve: Serve) -> None:
    wire = serve(HANGING)
    limits = wire.initialize()["capabilities"]["experimental"]["agent"]["limits"]
    assert limits == {
        "maxFrameBytes": 32 * 1024 * 1024, "maxEventBytes": LIMITS.event, "replayEvents": REPLAYED_EVENTS,
        "cancelGraceMs": round(GRACE * 1000), "maxQueued": MAX_QUEUED,
    }  # fmt: skip
    session = wire.session()
    wire.call("agent/run", {"sessionId": session, "input": "go"})
    wire.event("itemDelta")
    waiting = [wire.post("agent/run", {"sessionId": session, "input": "go"}) for _ in range(MAX_QUEUED)]
    for request in waiting:
        assert wire.answer_of(request)["result"]["outcome"] == "queued"
    error = wire.ask("agent/run", {"sessionId": session, "input": "go"})["error"]
    assert (error["code"], error["data"]["kind"]) == (-33007, "overloaded")
    assert error["data"]["retryAfterMs"] > 0
    assert error["data"]["retryable"]
    wire.call("agent/cancel", {"sessionId": session, "queued": "drop"})
    wire.until(lambda m: fold(wire.events).state == "idle")


def test_more_requests_at_once_than_are_followed_are_refused(serve: Serve) -> None:
    wire = serve(HANGING, limits="calls=3")
    wire.initialize()
    session = wire.session()
    runs = [wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True}) for _ in range(4)]
    error = wire.answer_of(runs[-1])["error"]
    assert (error["code"], error["data"]["kind"]) == (-33007, "overloaded")
    for request in runs:
        wire.notify("$/cancelRequest", {"id": request})
    assert wire.answer_of(runs[0])["result"]["stopReason"] == "cancelled"


@pytest.mark.item(44)
def test_a_client_that_writes_and_never_reads_costs_no_memory(serve: Serve) -> None:
    """Its answers are bounded because nothing more of it is read; when it reads, all are answered."""
    wire = serve("hi", limits="answers=300_000, inbox=300_000")
    wire.initialize()
    wire.call("agent/status")
    before = resident(wire)
    wire.reading.clear()
    total = 30_000
    asked = {"jsonrpc": "2.0", "method": "x", "params": {"p": "x" * 100}}
    data = b"".join(frame({**asked, "id": f"f{n}"}) for n in range(total))
    flood = threading.Thread(target=wire.write, args=(data,))
    flood.start()
    at_rest(wire)
    assert flood.is_alive(), "the client is made to wait"
    assert resident(wire) - before < 20
    wire.reading.set()
    wire.answer_of(f"f{total - 1}")
    flood.join()
    answered = [m["id"] for m in wire.messages if str(m.get("id", "")).startswith("f")]
    assert sorted(answered) == sorted(f"f{n}" for n in range(total))


def test_many_who_want_the_history_at_once_cost_no_more_than_one(serve: Serve) -> None:
    """Whoever asks for an item has the whole session told once more, and its queue at every step of it."""
    wire = serve(HANGING)
    wire.initialize()
    session = wire.session()
    runs = [wire.post("agent/run", {"sessionId": session, "input": "go"}) for _ in range(MAX_QUEUED)]
    for run in runs:
        assert "result" in wire.answer_of(run)
    wire.ask("agent/item", {"sessionId": session, "itemId": "none"})
    before = resident(wire)
    asked = [wire.post("agent/item", {"sessionId": session, "itemId": "none"}) for _ in range(24)]
    for number in asked:
        assert "error" in wire.answer_of(number)
    assert resident(wire) - before < 30
