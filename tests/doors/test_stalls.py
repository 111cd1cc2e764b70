"""A clock that jumps, a disk that hangs, a network that is silent: nothing waits for them.

The server is a real process. A few of its calls to the system are held back while a file is there.
"""

import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.model_server import ModelServer, Raw
from support.patience import wait_until
from support.rich_run import call
from support.wire import Wire, script, turns
from support.wire_rules import check_events

pytestmark = pytest.mark.timeout(150)
JUMPING = """
import sys, time
from pathlib import Path
now, now_ns, jump = time.time, time.time_ns, Path({jump!r})
shift = lambda: float(jump.read_text() or 0) if jump.exists() else 0.0
time.time = lambda: now() + shift()
time.time_ns = lambda: now_ns() + int(shift()) * 10**9
from agls.doors.lsp import main
sys.exit(main())
"""
HANGING = """
import os, sys, time
from pathlib import Path
held, begun, read, read_at_once = Path({held!r}), Path({held!r} + ".begun"), os.read, os.preadv

def is_slow(descriptor):
    try:
        return os.readlink(f"/proc/self/fd/{{descriptor}}").endswith("slow.txt") and held.exists()
    except OSError:
        return False

def held_back(descriptor, count):
    while is_slow(descriptor):
        begun.touch()
        time.sleep(0.01)
    return read(descriptor, count)

def not_in_memory(descriptor, *arguments):
    if is_slow(descriptor):
        raise BlockingIOError
    return read_at_once(descriptor, *arguments)

os.read, os.preadv = held_back, not_in_memory
from agls.doors.lsp import main
sys.exit(main())
"""


def work(seconds: int) -> list[Any]:
    """A command under which the clock jumps, one that is too slow, and an edit."""
    return [
        {"text": "", "calls": [call("shell", command=f"echo {seconds} > jump; sleep 1; echo fine")]},
        {"text": "", "calls": [call("shell", command="sleep 100", timeout_s=1)]},
        {"text": "", "calls": [call("read_file", path="a.txt")]},
        {"text": "", "calls": [call("edit_file", path="a.txt", old_text="one", new_text="two")]},
        "Done.",
    ]


def tool_items(wire: Wire) -> list[dict[str, Any]]:
    done = [event["data"]["item"] for event in wire.events if event["type"] == "itemCompleted"]
    return [item for item in done if item["kind"] == "toolCall"]


HOUR, DAY = 3_600, 90_000  # seconds, and more than a day


@pytest.mark.parametrize(
    "seconds", [-DAY, HOUR, *(pytest.param(far, marks=pytest.mark.slow) for far in (-HOUR, DAY))]
)
def test_clock_that_jumps_under_a_command_ends_nothing_early_and_nothing_late(
    tmp_path: Path, seconds: int
) -> None:
    """The limits of the run, of a command, and the checks of files go by other clocks."""
    played = script(tmp_path, turns(*work(seconds)), turns("Again."))
    with played.open("a") as config:
        config.write("[budget]\nmax_seconds = 100\n")
    command = [sys.executable, "-c", JUMPING.format(jump=str(tmp_path / "workspace/jump"))]
    began = time.monotonic()
    with Wire(tmp_path, played, command) as wire:
        (wire.workspace / "a.txt").write_text("one\n")
        wire.answers["agent/requestPermission"] = lambda _: {"outcome": "selected", "optionId": "once"}
        wire.initialize()
        session = wire.session()
        assert wire.run(session)["stopReason"] == "endTurn"
        first, second, *_ = items = tool_items(wire)
        assert [item["status"] for item in items] == ["completed", "failed", "completed", "completed"], items
        assert "fine" in first["output"]
        assert "ran longer than" in second["output"]
        assert (wire.workspace / "a.txt").read_text() == "two\n"
        assert wire.run(session)["stopReason"] == "endTurn"
        check_events(wire.events)
    assert (tmp_path / "workspace/jump").read_text() == f"{seconds}\n", "the clock did jump"
    assert time.monotonic() - began < 60


@pytest.fixture
def hanging(tmp_path: Path) -> Iterator[Wire]:
    """A server whose reads of `slow.txt` hang while the file `held` is there."""
    read = {"text": "", "calls": [call("read_file", path="slow.txt")]}
    played = script(tmp_path, turns(read, "Done."), turns("Again."))
    command = [sys.executable, "-c", HANGING.format(held=str(tmp_path / "held"))]
    (tmp_path / "held").touch()
    try:
        with Wire(tmp_path, played, command) as wire:
            (wire.workspace / "slow.txt").write_text("slow\n")
            wire.initialize()
            yield wire
    finally:
        (tmp_path / "held").unlink(missing_ok=True)


def test_disk_that_hangs_holds_up_its_call_alone(hanging: Wire, tmp_path: Path) -> None:
    session = hanging.session()
    request = hanging.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wait_until((tmp_path / "held.begun").exists)
    began = time.monotonic()
    hanging.call("agent/status", {})
    assert time.monotonic() - began < 2, "other requests are answered meanwhile"
    (tmp_path / "held").unlink()
    assert hanging.answer_of(request)["result"]["stopReason"] == "endTurn"
    (item,) = tool_items(hanging)
    assert "slow" in item["output"]


def test_run_that_waits_for_a_hanging_disk_is_cancelled_and_the_session_goes_on(
    hanging: Wire, tmp_path: Path
) -> None:
    session = hanging.session()
    request = hanging.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wait_until((tmp_path / "held.begun").exists)
    began = time.monotonic()
    hanging.call("agent/cancel", {"sessionId": session})
    assert hanging.answer_of(request)["result"]["stopReason"] == "cancelled"
    assert time.monotonic() - began < 10, "three seconds are given to work that does not end"
    (tmp_path / "held").unlink()
    assert hanging.run(session)["stopReason"] == "endTurn"
    check_events(hanging.events)


def test_fetch_from_a_silent_server_ends_with_its_time_and_by_a_cancel(tmp_path: Path) -> None:
    pages = {"/silent": Raw(begin="hang")}
    with ModelServer(pages=pages) as server:
        agls = Agls(tmp_path)
        url = f"http://127.0.0.1:{server.port}"
        own = f'[web]\nprivate_hosts = ["127.0.0.1:{server.port}"]\ntimeout_s = 1\n'
        agls.configure(f"{SCRIPTED}{own}")
        fetch = {"calls": [call("web_fetch", url=f"{url}/silent")]}
        agls.script(fetch, {"text": "Done."})
        done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go")
        items = [e["data"]["item"] for e in done.events if e.get("type") == "itemCompleted"]
        (item,) = [item for item in items if item["kind"] == "toolCall"]
        assert item["status"] == "failed"
        agls.configure(f"{SCRIPTED}{own.replace('= 1', '= 100')}")
        agls.script(fetch, {"text": "Done."})
        seen = len(server.requests)
        process = agls.start("run", "--mode", "allowAll", "go")
        wait_until(lambda: len(server.requests) > seen)
        process.terminate()
        began = time.monotonic()
        process.communicate(timeout=30)
        assert time.monotonic() - began < 10
        agls.end()
