"""The plan of the work in `agls run` and `agls resume`: shown, and changed with `/plan`."""

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
    page = agls.run("sessions", "export", agls.sessions()[0]["sessionId"], "--format", "md")
    assert "- [x] 1. Read" in page.out


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
def test_single_entries_are_shown_and_a_plan_that_was_cleared_is_empty_for_the_model(agls: Agls) -> None:
    with ModelServer([Reply(calls=[("plan", {"entries": [*TWO]})]), Reply("One."), Reply("Two.")]) as server:
        agls.configure(SERVED.format(server.url))
        assert agls.run("run", "go").code == 0
        for typed in ("/task show 2", "/plan show 2", "/todo show 2", "/task 2"):
            assert agls.run("resume", typed).out == "- [ ] 2. Write (after 1)\n"
        assert agls.run("resume", "/task show 2 1").out == "- [ ] 2. Write (after 1)\n- [ ] 1. Read\n"
        assert "There is no entry 3. There are: 1, 2." in agls.run("resume", "/task show 3").err
        assert agls.run("resume", "/plan clear").out == "The plan is empty.\n"
        assert agls.run("resume", "go on").code == 0
        assert "The plan is empty." in str(server.posts[-1].body["messages"][-1]["content"])


@pytest.mark.row(66)
def test_model_sees_what_the_user_changed_and_the_open_entries_after_a_compaction(agls: Agls) -> None:
    talk, summary = Reply("word " * 4_000), Reply("They talked about a word.")
    replies = [Reply(calls=[("plan", {"entries": [*TWO]})]), talk, talk, talk, summary, Reply("Done.")]
    with ModelServer(replies) as server:
        agls.configure(SERVED.format(server.url))
        for prompt in ("run", "go"), ("resume", "/plan cancel 1"), ("resume", "go on"), ("resume", "go on"):
            done = agls.run(*prompt)
            assert done.code == 0, done.err
        asked = [post.body["messages"] for post in server.posts]
        plan = "Plan: 0 of 1 done\n- [-] 1. Read\n- [ ] 2. Write\n\nNext: 2."
        assert f"The user changed the plan.\n\n{plan}" in str(asked[2][-1]["content"])
        assert len(asked[3]) == len(asked[2]) + 2, "it is told once"
        compacted = agls.run("resume", "/compact")
        assert compacted.code == 0, compacted.err
        done = agls.run("resume", "go on")
        assert done.code == 0, done.err
        told = "\n".join(each["content"] for each in server.posts[-1].body["messages"][1:])
        assert told.count("2. Write") == 1
        assert plan in told
