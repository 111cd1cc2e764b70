"""What waits for the disk and what does not: a server whose flushes take until the test lets them go."""

from pathlib import Path

from support.processes import changed_program
from support.wire import Wire, script, turns
from support.wire_rules import check_events

SLOW_DISK = """
import sys, time
from pathlib import Path
from agls.stores import journal
held, flush = Path({held!r}), journal._flush

def held_back(descriptor):
    while held.exists():
        time.sleep(0.01)
    flush(descriptor)

journal._flush = held_back
from agls.doors.lsp import main
sys.exit(main())
"""


def answered(wire: Wire, request: object) -> bool:
    """Whether a request has its answer; one of the server's own may have the same number."""
    return any(each.get("id") == request and "method" not in each for each in wire.messages)


def test_waiting_run_shows_its_answer_before_the_disk_and_is_answered_after_it(tmp_path: Path) -> None:
    held = tmp_path / "held"
    command = changed_program(SLOW_DISK.format(held=str(held)))
    with Wire(tmp_path, script(tmp_path, turns("hello")), command) as wire:
        wire.initialize()
        session = wire.session()
        held.touch()
        request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
        wire.event("runEnded")
        assert not answered(wire, request), "nothing is on the disk"
        held.unlink()
        assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
        check_events(wire.events)


def test_run_without_wait_is_answered_only_when_its_prompt_is_on_the_disk(tmp_path: Path) -> None:
    held = tmp_path / "held"
    command = changed_program(SLOW_DISK.format(held=str(held)))
    with Wire(tmp_path, script(tmp_path, turns("hello")), command) as wire:
        wire.initialize()
        session = wire.session()
        held.touch()
        request = wire.post("agent/run", {"sessionId": session, "input": "go"})
        wire.call("agent/status", {})
        assert not answered(wire, request), "nothing is on the disk"
        held.unlink()
        assert wire.answer_of(request)["result"]["outcome"] == "started"
        wire.event("runEnded")
        check_events(wire.events)
