"""A program that stops reading and stays: little waits for it, and its cancel is followed (protocol#flow)."""

import asyncio
import json
import os
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agls.doors.headless import pipe as pipes
from agls.doors.headless.output import LIMITS, JsonLines
from agls.doors.headless.pipe import Pipe
from agls.views.transcript import fold
from support.leftovers import resident_of
from support.wire_rules import check_lines

from .conftest import Agls

FULL = LIMITS.full

PIECES = [f"{n:05d} {'é' * 20} " for n in range(40_000)]
READ = {"name": "read_file", "arguments": {"path": "a.txt"}}
PATIENCE = 60.0


def wait_for(journal: Path, words: str, count: int = 1) -> None:
    """Wait until this stands so often in the only session's file: nobody reads what the process says."""
    until = time.monotonic() + PATIENCE
    while sum(file.read_text().count(words) for file in journal.glob("*.jsonl")) < count:
        assert time.monotonic() < until, words
        time.sleep(0.1)


@pytest.mark.item(42)
@pytest.mark.timeout(150)
def test_program_that_reads_nothing_can_cancel_and_little_is_buffered_for_it(agls: Agls) -> None:
    (agls.workspace / "a.txt").write_text("a file")
    flood = {"text": PIECES, "delay": 0, "calls": [READ]}
    agls.script(flood, {"text": PIECES[:9], "hang": True})
    process = agls.start(
        "run", "go", "--output", "jsonl", "--input", "jsonl", "--max-seconds", "600", stdin=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    wait_for(agls.state / "sessions", '"turn_started"', 1)
    before = resident_of(process.pid)
    wait_for(agls.state / "sessions", '"turn_started"', 2)  # the flood is over
    assert resident_of(process.pid) - before < 64
    process.stdin.write('{"jsonrpc": "2.0", "id": 1, "method": "agent/cancel"}\n')
    process.stdin.flush()
    wait_for(agls.state / "sessions", '"run_ended"')  # although nobody has read a line
    process.stdin.close()
    process.stdin = None
    lines = [json.loads(line) for line in process.stdout]
    assert process.wait(PATIENCE) == 130
    check_lines(lines)
    events = [line for line in lines if "type" in line]
    assert next(line["result"]["state"] for line in lines if line.get("id") == 1) == "cancelling"
    assert (events[-1]["type"], events[-1]["data"]["stopReason"]) == ("runEnded", "cancelled")
    messages = [item for item in fold(events[1:]).items.values() if item["kind"] == "message"]
    assert messages[0]["text"] == "".join(PIECES)
    deltas = sum(len(json.dumps(event)) for event in events if event["type"] == "itemDelta")
    assert deltas < 2 * FULL, "the others were left out, not kept"


async def test_reader_that_caught_up_gets_the_items_with_gaps_again() -> None:
    reading, writing = os.pipe()
    asked: list[dict[str, int]] = []

    def caught_up(behind: Any, at: float) -> list[dict[str, Any]]:
        asked.append(behind)
        return [{"type": "gap"}, {"type": "itemUpdated"}]

    with os.fdopen(writing, "w") as out, Path(os.devnull).open("w") as err:
        pipe = Pipe(out, err)
        lines = JsonLines(pipe)
        lines.spare(caught_up)
        for number in range(2 * FULL // 1000):
            lines.event({"type": "itemDelta", "itemId": str(number % 2), "after": number, "text": "x" * 1000})
        assert pipe.backlog < FULL + 2000
        pumping = asyncio.ensure_future(pipe.pump(lambda: None))
        got = b""
        while b"itemUpdated" not in got:
            got += await asyncio.to_thread(os.read, reading, 65_536)
        (behind,) = asked
        first = min(behind.values())
        assert sorted(behind.values()) == [first, first + 1], "from the first that was left out"
        assert set(behind) == {"0", "1"}
        assert got.count(b'"gap"') == 1
        pipe.close()
        await pumping
        assert pipe.backlog == 0
    os.close(reading)


async def test_a_reader_that_is_too_far_behind_counts_as_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipes, "MOST", 100)
    lost: list[bool] = []
    with Path(os.devnull).open("w") as out:
        pipe = Pipe(out, out)
        pumping = asyncio.ensure_future(pipe.pump(lambda: lost.append(True)))
        await asyncio.sleep(0)
        pipe.write("x" * 100)
        assert lost == []
        pipe.write("x")
        pipe.mention("x")
        assert lost == [True]
        pipe.close()
        await pumping
