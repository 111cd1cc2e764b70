"""Plan mode in `agls run`: a plan is approved at the terminal or by a prepared answer, or is the answer."""

import json
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, begin, terminal
from support.model_server import ModelServer, Reply

__all__ = ["terminal"]
pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
SERVED = """\
model = "served"
[models.served]
dialect = "chat"
model = "test-model"
base_url = "{}"
context_window = 60000
"""
PLAN = "# Write a.txt\n\n1. Create `a.txt` with one line.\n2. Read it again."
STEPS = ["Create a.txt", "Read it again"]
PRESENT = ("present_plan", {"plan": PLAN, "steps": STEPS})
WRITE = ("write_file", {"path": "a.txt", "content": "one\n"})
PRESENTED = {"calls": [{"name": PRESENT[0], "arguments": PRESENT[1]}]}
WRITTEN = {"calls": [{"name": WRITE[0], "arguments": WRITE[1]}]}
QUESTION = "Approve this plan?"


def offered(body: dict[str, Any]) -> set[str]:
    """The names of the tools in a request."""
    return {tool["function"]["name"] for tool in body["tools"]}


def answers(agls: Agls, *prepared: dict[str, Any]) -> str:
    """A file of prepared answers."""
    file = agls.home / "answers.json"
    file.write_text(json.dumps(prepared))
    return str(file)


@pytest.mark.row(66)
def test_plan_is_approved_at_the_terminal_and_the_run_goes_on(agls: Agls, terminal: FakeTerminal) -> None:
    """Nothing is written before the approval, and edits need no question after it."""
    agls.script(WRITTEN, PRESENTED, WRITTEN, {"text": "Done."})
    process = begin(agls, terminal, "--mode", "plan")
    terminal.wait_for("n): ")
    assert not (agls.workspace / "a.txt").exists()
    assert QUESTION in terminal.screen
    for line in PLAN.splitlines():
        assert line in terminal.screen
    assert "[y] Approve and ask first" in terminal.screen
    assert "[s] Approve and accept edits" in terminal.screen
    assert "[n] Keep planning" in terminal.screen
    terminal.type("s\n")
    process.wait()
    assert (agls.workspace / "a.txt").read_text() == "one\n"
    shown = terminal.rest()
    assert shown.count("n): ") == 1
    assert "- [ ] 1. Create a.txt" in shown


@pytest.mark.row(66)
def test_comment_at_the_terminal_reaches_the_model_which_presents_again(
    agls: Agls, terminal: FakeTerminal
) -> None:
    again = Reply(calls=[("present_plan", {"plan": "Shorter plan."})])
    with ModelServer([Reply(calls=[PRESENT]), again, Reply("Ok.")]) as server:
        agls.configure(SERVED.format(server.url))
        process = begin(agls, terminal, "--mode", "plan")
        terminal.wait_for("n): ")
        terminal.type("n make it shorter\n")
        terminal.wait_for("Shorter plan.")
        while terminal.screen.count("n): ") < 2:
            terminal.read(1)
        terminal.type("y\n")
        assert process.wait() == 0
        second, third = (post.body for post in server.posts[1:])
        assert "They said: make it shorter" in str(second["messages"][-1]["content"])
        assert "The user approved the plan." in str(third["messages"][-1]["content"])
        assert "present_plan" in offered(second)
        assert "present_plan" not in offered(third), "it is offered only in plan mode"


@pytest.mark.row(66)
def test_unattended_run_prints_the_plan_as_its_answer_and_changes_nothing(agls: Agls) -> None:
    with ModelServer([Reply(calls=[WRITE]), Reply(PLAN)]) as server:
        agls.configure(SERVED.format(server.url))
        done = agls.run("run", "go", "--mode", "plan")
        assert (done.code, done.out) == (0, f"{PLAN}\n"), done.err
        first, second = (post.body for post in server.posts)
        assert not offered(first) & {"present_plan", "write_file", "edit_file"}
        assert "then give the plan as your answer" in str(first["messages"][-1]["content"])
        assert "The session is in plan mode" in str(second["messages"][-1]["content"])
    assert not (agls.workspace / "a.txt").exists()


@pytest.mark.row(66)
@pytest.mark.row(39)
def test_prepared_answers_ask_for_another_plan_and_approve_the_next(agls: Agls) -> None:
    file = answers(
        agls,
        {"question": QUESTION, "answer": "say how it is tested", "once": True},
        {"question": "approve this", "match": "contains", "answer": "acceptEdits"},
    )
    with ModelServer(
        [Reply(calls=[PRESENT]), Reply(calls=[PRESENT]), Reply(calls=[WRITE]), Reply("Ok.")]
    ) as server:
        agls.configure(SERVED.format(server.url))
        done = agls.run("run", "go", "--mode", "plan", "--answers", file, "--trust")
        assert (done.code, done.out) == (0, "Ok.\n"), done.err
        assert "say how it is tested" in str(server.posts[1].body["messages"][-1]["content"])
    assert (agls.workspace / "a.txt").read_text() == "one\n"


def test_prepared_answer_widens_nothing_in_an_untrusted_folder(agls: Agls) -> None:
    (agls.workspace / "AGENTS.md").write_text("Be brief.")
    file = answers(agls, {"question": QUESTION, "answer": "acceptEdits"})
    agls.script(PRESENTED, WRITTEN, {"text": "Ok."})
    done = agls.run("run", "go", "--mode", "plan", "--answers", file, "--output", "jsonl")
    assert done.code == 3, "nobody could be asked about the edit"
    ends = [event["data"]["item"] for event in done.events if event["type"] == "itemCompleted"]
    outputs = [item["output"] for item in ends if item["kind"] == "toolCall"]
    assert "the user is asked about each effect" in outputs[0]
    assert "it needs the user's permission" in outputs[1]
    assert not (agls.workspace / "a.txt").exists()


@pytest.mark.row(66)
def test_approved_plan_is_kept_word_for_word_over_compaction_resume_and_rewind(agls: Agls) -> None:
    talk, summary = Reply("word " * 4_000), Reply("They talked about a word.")
    replies = [Reply(calls=[PRESENT]), talk, talk, talk, summary, Reply("Done.")]
    with ModelServer(replies) as server:
        agls.configure(SERVED.format(server.url))
        file = answers(agls, {"question": QUESTION, "answer": "approve"})
        assert agls.run("run", "go", "--mode", "plan", "--answers", file).code == 0
        shown = agls.run("resume", "/plan").out
        assert "- [ ] 1. Create a.txt\n- [ ] 2. Read it again" in shown
        assert PLAN in shown
        place = Path(shown.partition("The approved plan (in ")[2].partition(")")[0])
        assert place.read_text() == PLAN
        forked = agls.run("sessions", "fork", agls.sessions()[0]["sessionId"]).out.strip()
        its_own = (
            agls.run("resume", forked, "/plan").out.partition("The approved plan (in ")[2].partition(")")[0]
        )
        assert forked in its_own
        assert Path(its_own).read_text() == PLAN
        assert agls.run("sessions", "delete", "--yes", forked).code == 0
        for _ in range(2):
            assert agls.run("resume", "go on").code == 0
        assert "Plan mode" not in str(server.posts[-1].body["messages"][-1]), "it is over for good"
        compacted = agls.run("resume", "/compact")
        assert compacted.code == 0, compacted.err
        assert agls.run("resume", "go on").code == 0
        told = [str(message["content"]) for message in server.posts[-1].body["messages"][1:]]
        assert sum(PLAN in text for text in told) == 1
        assert any("1. Create a.txt" in text for text in told)
