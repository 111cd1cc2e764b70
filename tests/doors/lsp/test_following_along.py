"""A client whose user watches where the agent works (`followAlong`, protocol#initialize)."""

import pytest

from support.rich_run import call
from support.wire import AGENT, Message, Wire, turns

from .conftest import Serve

LINES = "".join(f"line {number}\n" for number in range(20))
EDIT = call("edit_file", path="a.txt", old_text="line 12\n", new_text="LINE 12\n")
LOOKS = [call("read_file", path=f"{name}.txt") for name in "abc"]
READ = [(f"{name}.txt", 0) for name in "abc"]
WORK = turns({"calls": LOOKS}, {"calls": [EDIT, call("glob", pattern="*.txt")]}, "done")
SHOWS: Message = {"window": {"showDocument": {"support": True}}}
FOLLOWS: Message = {**AGENT, "followAlong": {}}


def watched(serve: Serve, block: Message, capabilities: Message) -> Wire:
    """A run that reads three files and changes one of them."""
    wire = serve(WORK)
    for name in "abc":
        (wire.workspace / f"{name}.txt").write_text(LINES)
    wire.initialize(block, capabilities=capabilities)
    wire.answers["window/showDocument"] = lambda params: {"success": True}
    assert wire.run(wire.session(options={"mode": "acceptEdits"}))["stopReason"] == "endTurn"
    return wire


def place_of(shown: Message) -> tuple[str, int]:
    params = shown["params"]
    return params["uri"].rpartition("/")[2], params["selection"]["start"]["line"]


def places(wire: Wire) -> list[tuple[str, int]]:
    return [place_of(shown) for shown in wire.of_method("window/showDocument")]


@pytest.mark.item(24)
def test_files_are_shown_as_the_agent_uses_them_and_the_lines_it_changed(serve: Serve) -> None:
    wire = watched(serve, FOLLOWS, SHOWS)
    wire.until(
        lambda m: m.get("method") == "window/showDocument" and m["params"]["selection"]["start"]["line"] == 12
    )
    assert places(wire)[0] in READ, "the reads run side by side: any of them may be shown first"
    assert places(wire)[-1] == ("a.txt", 12)
    shown = wire.of_method("window/showDocument")
    assert all(message["params"]["takeFocus"] is False for message in shown)
    assert all(name.endswith(".txt") for name, _ in places(wire)), "folders are not shown"


def test_slow_client_is_asked_to_show_only_the_newest_place(serve: Serve) -> None:
    wire = serve(WORK)
    for name in "abc":
        (wire.workspace / f"{name}.txt").write_text(LINES)
    wire.initialize(FOLLOWS, capabilities=SHOWS)
    wire.run(wire.session(options={"mode": "acceptEdits"}))
    assert len(places(wire)) == 1, "it has not shown that one yet"
    (first,) = wire.of_method("window/showDocument")
    wire.send({"jsonrpc": "2.0", "id": first["id"], "error": {"code": -32603, "message": "no"}})
    wire.until(lambda m: m.get("method") == "window/showDocument" and m["id"] != first["id"])
    assert places(wire)[1:] == [("a.txt", 12)]


@pytest.mark.parametrize(
    ("block", "capabilities"), [(AGENT, SHOWS), (FOLLOWS, {})], ids=["not wanted", "cannot be shown"]
)
def test_client_without_the_capability_is_shown_nothing(
    serve: Serve, block: Message, capabilities: Message
) -> None:
    assert places(watched(serve, block, capabilities)) == []
