"""The plan of the work as an editor sees it: the real server process, with resume and rewind."""

from pathlib import Path
from typing import Any

import pytest

from support.wire import Message, Wire, script, turns

TWO = [{"text": "Read"}, {"text": "Write", "after": [1]}]


def planned(*entries: Message) -> Message:
    """A turn that changes the plan."""
    return {"calls": [{"name": "plan", "arguments": {"entries": list(entries)}}]}


def plans(wire: Wire, session: str) -> list[list[str]]:
    """The items `plan`, as who resumes the session gets them: the states of the entries of each."""
    wire.call("agent/session/close", {"sessionId": session})
    items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
    return [[entry["state"] for entry in item["entries"]] for item in items if item["kind"] == "plan"]


def act(wire: Wire, session: str, **arguments: Any) -> list[str]:
    """The states of the entries after an action of the user."""
    params = {"sessionId": session, "name": "plan", "input": arguments}
    return [entry["state"] for entry in wire.call("agent/action/invoke", params)["data"]["entries"]]


@pytest.mark.row(66)
def test_plan_is_resumed_and_goes_back_with_a_rewind(tmp_path: Path) -> None:
    first = turns(planned(*TWO), "Planned.")
    second = turns(planned({"id": 1, "state": "done"}), "Done.")
    with Wire(tmp_path, script(tmp_path, first, second)) as wire:
        wire.initialize()
        session = wire.session()
        assert wire.run(session, "plan it")["stopReason"] == "endTurn"
        assert act(wire, session, do="start", entry="1") == ["inProgress", "pending"]
        assert wire.run(session, "do it")["stopReason"] == "endTurn"
        assert plans(wire, session) == [["pending"] * 2, ["inProgress", "pending"], ["done", "pending"]]
        items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
        answer = next(item for item in items if item.get("text") == "Planned.")
        gone = {"sessionId": session, "toItemId": answer["itemId"], "what": "conversation"}
        undo = wire.call("agent/session/rewind", gone)["checkpointId"]
        assert act(wire, session) == ["inProgress", "pending"]
        wire.call("agent/session/rewind", {"sessionId": session, "undo": undo})
        assert act(wire, session) == ["done", "pending"]
