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


@pytest.mark.row(65)
def test_user_creates_begins_blocks_reopens_cancels_and_removes_entries_and_sees_what_is_next(
    tmp_path: Path,
) -> None:
    """Each command as it is typed, and the plan that it answers with."""
    steps = [
        ("/plan add Read", "- [ ] 1. Read", "Next: 1."),
        ("/plan add Write after=1", "- [ ] 2. Write (after 1)", "Next: 1."),
        ("/todo add Tell after=1,2", "- [ ] 3. Tell (after 1, 2)", "Next: 1."),
        ("/plan start 2", "Entry 2 comes after 1: do or cancel that first.", ""),
        ("/plan start 1", "- [>] 1. Read", "Next: 1."),
        ("/plan done 1", "- [x] 1. Read\n- [ ] 2. Write\n- [ ] 3. Tell (after 2)", "Next: 2."),
        ("/plan reopen 1", "- [ ] 1. Read\n- [ ] 2. Write (after 1)", "Next: 1."),
        ("/plan cancel 1", "- [-] 1. Read\n- [ ] 2. Write\n", "Next: 2."),
        ("/plan remove 2", "- [-] 1. Read\n- [ ] 3. Tell", "Next: 3."),
        ("/plan add Rest", "- [ ] 4. Rest", "Next: 3."),
        ("/next-task", "- [ ] 3. Tell", "Next: 3."),
        ("/plan clear", "The plan is empty.", ""),
    ]
    with Wire(tmp_path, script(tmp_path, turns("Hello."))) as wire:
        wire.initialize()
        session = wire.session()
        told: list[str] = []
        for typed, *_ in steps:
            given = {"sessionId": session, "input": typed, "expand": True, "wait": True}
            response = wire.ask("agent/run", given)
            done = response.get("result", {}).get("action")
            told.append(done["output"][0]["text"] if done else response["error"]["message"])
    assert [
        f"{text}: {answer}"
        for (text, shown, following), answer in zip(steps, told, strict=True)
        if shown not in answer or not answer.endswith(following)
    ] == []


@pytest.mark.row(65)
def test_model_plans_with_dependencies_and_a_list_that_is_sent_again_takes_the_place_of_the_old_one(
    tmp_path: Path,
) -> None:
    again = [{"text": "Read", "state": "done"}, {"text": "Write", "state": "inProgress"}]
    steps = (
        planned(*TWO),
        planned({"id": 2, "state": "inProgress"}),
        planned(*again),
        planned({"id": 2, "state": "cancelled"}),
        planned({"text": "Something new"}),
    )
    with Wire(tmp_path, script(tmp_path, turns(*steps, "Done."))) as wire:
        wire.initialize()
        session = wire.session()
        assert wire.run(session, "plan it")["stopReason"] == "endTurn"
        items = wire.call("agent/resume", {"sessionId": session, "replay": "all"})["snapshot"]["items"]
    calls = [item for item in items if item["kind"] == "toolCall"]
    assert [call["status"] for call in calls] == ["completed", "failed", *["completed"] * 3]
    assert "Next: 1." in calls[0]["output"]
    assert "Entry 2 comes after 1" in calls[1]["output"], "what is blocked is not begun"
    assert "- [x] 1. Read\n- [>] 2. Write" in calls[2]["output"], "no entry is there twice"
    assert "Something new" in calls[4]["output"] and "Read" not in calls[4]["output"], "a new plan"
