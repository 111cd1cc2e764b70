"""The plan of the work in `agls run` and `agls resume`: shown, changed with `/plan`, and there in every process."""

from typing import Any

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
SERVED = """\
model = "served"
[models.served]
dialect = "chat"
model = "test-model"
base_url = "{}"
context_window = 60000
"""


def planned(*entries: dict[str, Any]) -> dict[str, Any]:
    """A turn that changes the plan."""
    return {"calls": [{"name": "plan", "arguments": {"entries": list(entries)}}]}


TWO = ({"text": "Read"}, {"text": "Write", "after": [1]})


@pytest.mark.row(65)
def test_plan_is_a_checklist_in_the_output_and_an_item_for_programs(agls: Agls) -> None:
    """What depends on another entry says so, until that is done."""
    agls.prompts([planned(*TWO), planned({"id": 1, "state": "done"}), {"text": "Begun."}])
    done = agls.run("run", "go")
    assert (done.code, done.out) == (0, "Begun.\n")
    assert "Plan: 0 of 2 done\n- [ ] 1. Read\n- [ ] 2. Write (after 1)\n" in done.err
    assert "Plan: 1 of 2 done\n- [x] 1. Read\n- [ ] 2. Write\n" in done.err
    assert "Plan" not in agls.run("run", "go", "--quiet").err
    events = agls.run("run", "go", "--output", "jsonl").events
    ends = [event["data"]["item"] for event in events if event["type"] == "itemCompleted"]
    plans = [item for item in ends if item["kind"] == "plan"]
    assert [item["title"] for item in plans] == ["Plan: 0 of 2 done", "Plan: 1 of 2 done"]
    assert plans[1]["status"] == "completed"
    assert plans[1]["entries"] == [
        {"id": 1, "text": "Read", "state": "done"},
        {"id": 2, "text": "Write", "state": "pending", "after": [1]},
    ]
    shown = agls.run("sessions", "show", agls.sessions()[0]["sessionId"])
    assert "- [x] 1. Read" in shown.out


@pytest.mark.row(66)
def test_plan_is_there_after_a_resume_and_goes_back_with_the_conversation(agls: Agls) -> None:
    agls.prompts([planned(*TWO), {"text": "One."}], [planned({"id": 1, "state": "done"}), {"text": "Two."}])
    assert agls.run("run", "go").code == 0
    assert agls.run("resume", "/plan add Tell me after=2").out.endswith(
        "- [ ] 3. Tell me (after 2)\n\nNext: 1.\n"
    )
    assert agls.run("resume", "go on").code == 0
    assert "- [x] 1. Read\n- [ ] 2. Write\n- [ ] 3. Tell me (after 2)\n" in agls.run("resume", "/plan").out
    refused = agls.run("resume", "/plan done 3")
    assert (refused.code, refused.out) == (1, "")
    assert "Entry 3 comes after 2: do or cancel that first." in refused.err
    assert agls.run("undo").code == 0
    assert "- [ ] 1. Read\n- [ ] 2. Write (after 1)\n- [ ] 3. Tell me" in agls.run("resume", "/plan").out


@pytest.mark.row(66)
def test_model_sees_what_the_user_changed_and_the_open_entries_after_a_compaction(agls: Agls) -> None:
    arguments = {"entries": [*TWO]}
    talk = [Reply("word " * 4_000) for _ in range(3)]
    with ModelServer([Reply(calls=[("plan", arguments)]), *talk[:1], Reply("Two.")]) as server:
        agls.configure(SERVED.format(server.url))
        assert agls.run("run", "go").code == 0
        assert agls.run("resume", "/plan cancel 1").code == 0
        assert agls.run("resume", "go on").code == 0
        sent = [post.json["messages"] for post in server.posts]
        told = "The user changed the plan.\n\nPlan: 0 of 1 done\n- [-] 1. Read\n- [ ] 2. Write\n\nNext: 2."
        assert sent[2][-1]["content"] == told
        server.add(*talk[1:], Reply("They talked."), Reply("Three."))
        for _ in talk[1:]:
            assert agls.run("resume", "talk").code == 0
        compacted = agls.run("resume", "/compact")
        assert compacted.code == 0, compacted.err
        assert agls.run("resume", "go on").code == 0
        last = server.posts[-1].json["messages"]
        assert "This is the plan of the work as it stands." not in str(sent)
        assert [str(message["content"]).count("2. Write") for message in last][-2:] != [0, 0]
