"""What `grep` finds is shown while it still searches, and stays when the search is cancelled."""

import time
from pathlib import Path
from typing import Any

import pytest

from support.rich_run import call
from support.wire import AGENT, Wire, script, turns
from support.wire_rules import check_events

pytestmark = [pytest.mark.row(35), pytest.mark.timeout(150)]
RUNAWAY = "(a+)+$|needle"


def plant(root: Path) -> None:
    """A file with a match, and one in which the expression runs away."""
    (root / "a.txt").write_text("one needle\ntwo\n")
    (root / "b").mkdir()
    (root / "b/c.txt").write_text("a" * 60 + "!\n")


def deltas(wire: Wire) -> str:
    parts = [event["data"] for event in wire.events if event["type"] == "itemDelta"]
    return "".join(part["append"] for part in parts if part["field"] == "output")


def searching(wire: Wire) -> tuple[str, int]:
    """Begin a search that ends only with its time, and wait for what it found."""
    plant(wire.workspace)
    wire.initialize(AGENT)
    session = wire.session()
    request = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    wire.until(lambda _: "needle" in deltas(wire), 20)
    return session, request


def item(wire: Wire) -> dict[str, Any]:
    done = [e["data"]["item"] for e in wire.events if e["type"] == "itemCompleted"]
    return next(each for each in done if each["kind"] == "toolCall")


def test_file_is_shown_long_before_the_search_ends(tmp_path: Path) -> None:
    config = script(tmp_path, turns({"text": "", "calls": [call("grep", pattern=RUNAWAY)]}, "Done."))
    with config.open("a") as file:
        file.write("[search]\ntimeout_s = 4\n")
    with Wire(tmp_path, config) as wire:
        _, request = searching(wire)
        seen = time.monotonic()
        assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
        assert time.monotonic() - seen > 1, "the search went on behind what was shown"
        assert item(wire)["output"].startswith(deltas(wire)), "what was shown is the beginning of the answer"
        assert item(wire)["output"].startswith("a.txt\n1:one needle\n[Stopped after 4 s;")
        check_events(wire.events)


def test_cancelled_search_keeps_what_it_showed(tmp_path: Path) -> None:
    config = script(tmp_path, turns({"text": "", "calls": [call("grep", pattern=RUNAWAY)]}, "Done."))
    with Wire(tmp_path, config) as wire:
        session, request = searching(wire)
        began = time.monotonic()
        wire.call("agent/cancel", {"sessionId": session})
        assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
        assert time.monotonic() - began < 3
        assert "1:one needle" in item(wire)["output"]
        check_events(wire.events)
