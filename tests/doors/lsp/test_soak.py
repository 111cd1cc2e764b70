"""A model that never stops talking: 10,000 deltas a second for a minute (item 44 of the protocol's list)."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from support.leftovers import resident
from support.patience import PATIENCE, wait_until
from support.wire import Message, Wire, events_in

PIECE = "talk "
CHUNK = b'data: {"choices":[{"index":0,"delta":{"content":"%b"}}]}\n\n' % PIECE.encode()
BURST = 100  # chunks, every hundredth of a second
QUICK = 0.2  # seconds from a cancel to the end of its run
FLAT = 24  # MB that a run may leave behind at most, once the first has been


class Talker(BaseHTTPRequestHandler):
    """Talks, at a steady pace, until nobody listens any more."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        """Stream for ever."""
        self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        started, bursts = time.monotonic(), 0
        try:
            while True:
                self.wfile.write(CHUNK * BURST)
                bursts += 1
                time.sleep(max(0.0, started + bursts / 100 - time.monotonic()))
        except OSError:
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def talking() -> Iterator[str]:
    """The address of a model that talks."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Talker)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class Listener(Wire):
    """Counts deltas instead of keeping them: what it would keep is more than what it measures."""

    told = 0  # bytes of the answer that streams in

    def _arrive(self, message: Message) -> None:
        events = events_in(message)
        for event in events:
            if event["type"] == "itemStarted" and event["data"]["item"]["kind"] == "message":
                self.told = 0
            if event["type"] == "itemDelta":
                assert event["data"]["offset"] == self.told, "deltas follow each other"
                self.told += len(event["data"]["append"])
        if not events or any(event["type"] != "itemDelta" for event in events):
            super()._arrive(message)


def soak(folder: Path, runs: int, deltas: int) -> tuple[list[float], list[float]]:
    """So many runs, cancelled after so many deltas; gives how long each cancel took, and MB after each."""
    with talking() as address:
        config = folder / "config.toml"
        config.write_text(f'model = "m"\n[models.m]\ndialect = "chat"\nmodel = "x"\nbase_url = "{address}"\n')
        sizes: list[float] = []
        delays: list[float] = []
        with Listener(folder, config) as wire:
            wire.initialize()
            session = wire.session()
            for _ in range(runs):
                wire.told = 0
                run = wire.call("agent/run", {"sessionId": session, "input": "go"})["runId"]
                wait_until(lambda: wire.told >= deltas * len(PIECE), patience=PATIENCE + deltas / 500)
                asked = time.monotonic()
                wire.call("agent/cancel", {"sessionId": session, "runId": run})
                ended(wire, run)
                delays.append(time.monotonic() - asked)
                sizes.append(resident(wire))
            wire.unchecked = "the deltas were counted and not kept"
            texts = [len(item["text"]) for item in messages(wire)]
            assert wire.leave() == 0
    assert len(texts) == runs
    assert min(texts) >= deltas * len(PIECE), "what was told is in the item"
    return delays, sizes


def ended(wire: Wire, run: str) -> None:
    wire.until(lambda m: any(e["type"] == "runEnded" and e["runId"] == run for e in events_in(m)))


def messages(wire: Wire) -> list[Message]:
    """The answers, whole: in the events a long text may be shortened."""
    found = [event for event in wire.events if event["type"] == "itemCompleted"]
    return [
        wire.call("agent/item", {"sessionId": event["sessionId"], "itemId": event["itemId"]})["item"]
        for event in found
        if event["data"]["item"]["kind"] == "message"
    ]


@pytest.mark.item(44)
def test_long_answer_is_delivered_whole_and_can_be_cancelled(tmp_path: Path) -> None:
    soak(tmp_path, runs=2, deltas=5_000)


@pytest.mark.item(44)
@pytest.mark.slow
@pytest.mark.timeout(1_200)
def test_ten_thousand_deltas_a_second_for_a_minute_cost_no_memory_and_no_patience(tmp_path: Path) -> None:
    delays, sizes = soak(tmp_path, runs=6, deltas=100_000)
    assert min(delays) < QUICK, delays
    assert sizes[-1] - sizes[0] < FLAT, sizes
