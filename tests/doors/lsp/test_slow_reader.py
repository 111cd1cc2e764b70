"""A client that stops reading (protocol 4.12)."""

import time
from datetime import datetime
from pathlib import Path

import pytest

from aglet.doors.fold import fold
from support.wire import Wire, turns
from support.wire_rules import check_wire

from .conftest import Serve


def resident(wire: Wire) -> int:
    """Memory of the server, in MB."""
    status = Path(f"/proc/{wire.process.pid}/status").read_text()
    return int(status.partition("VmRSS:")[2].split()[0]) // 1024


@pytest.mark.timeout(60)
def test_a_client_that_stops_reading_can_still_cancel_and_gets_a_right_transcript(serve: Serve) -> None:
    pieces = [f"{n:05d} " + "é" * 50 for n in range(50_000)]
    wire = serve(turns({"text": pieces, "delay": 0, "hang": True}))
    wire.initialize()
    session = wire.session()
    before = resident(wire)
    wire.reading.clear()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    time.sleep(2)
    cancel = wire.post("agent/cancel", {"sessionId": session})
    time.sleep(0.5)
    grown, read_again = resident(wire) - before, time.time()
    wire.reading.set()
    assert wire.answer_of(cancel)["result"]["state"] == "cancelling"
    assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
    assert grown < 64, "script, text and what waits for the client"
    ended = datetime.fromisoformat(wire.event("runEnded")["ts"]).timestamp()
    assert ended < read_again, "the cancel did not wait for the client"
    check_wire(wire.events)
    item = next(i for i in fold(wire.events).items.values() if i["kind"] == "message")
    assert item["status"] == "cancelled"
    assert item["text"] == "".join(pieces)[: len(item["text"])]
    assert len(item["text"]) > 100_000, "more than a pipe holds"
    assert sum(event["type"] == "itemDelta" for event in wire.events) < len(pieces) / 10


@pytest.mark.timeout(60)
def test_a_client_that_reads_again_gets_what_it_missed_although_nothing_happens(serve: Serve) -> None:
    pieces = [f"{n:05d} " + "x" * 500 for n in range(10_000)]
    wire = serve(turns({"text": pieces, "delay": 0, "hang": True}))
    wire.initialize()
    session = wire.session()
    wire.reading.clear()
    wire.post("agent/run", {"sessionId": session, "input": "go"})
    time.sleep(2)
    wire.reading.set()
    wire.event("gap")
    text = "".join(pieces)
    wire.until(lambda m: any(text in item.get("text", "") for item in fold(wire.events).items.values()))
