"""Hooks beside the run's own events: tasks of the plan, questions of servers, worktrees, settings, setup."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from doors.headless.hooked import Hooked, answer, outputs
from doors.headless.test_agent_keys import HAND, go, repository, write_agent
from doors.headless.test_mcp import SAMPLE
from support.model_server import ModelServer, Reply
from support.rich_run import call

ASKING = f"[mcp.servers.sample]\ncommand = {json.dumps(sys.executable)}\nargs = [{json.dumps(str(SAMPLE))}]\n"


@pytest.fixture
def hooked(agls: Agls) -> Hooked:
    return Hooked(agls)


@pytest.mark.row(50)
def test_hook_sees_tasks_of_the_plan_and_keeps_one_from_being_done(hooked: Hooked) -> None:
    hooked.on("TaskCreated", "if 'secret' in d['task_subject']: sys.exit(2)")
    hooked.on("TaskCompleted", "sys.stderr.write('the tests fail'); sys.exit(2)")
    made = [{"text": "Write it"}, {"text": "Test it", "state": "inProgress"}]
    calls = (
        call("plan", entries=made),
        call("plan", entries=[{"text": "A secret one"}]),
        call("plan", entries=[{"id": 2, "state": "done"}]),
    )
    hooked.agls.script(*({"calls": [each]} for each in calls), {"text": "done"})
    done = hooked.run()
    subjects = [each["task_subject"] for each in hooked.given("TaskCreated")]
    assert subjects == ["Write it", "Test it", "A secret one"]
    (completed,) = hooked.given("TaskCompleted")
    assert (completed["task_id"], completed["task_subject"]) == ("2", "Test it")
    created, refused, unfinished = outputs(done)
    assert "2. Test it" in created
    assert "h0 is against it" in refused
    assert "A secret one" not in refused
    assert "h1 is against it: the tests fail Nothing was changed." in unfinished
    assert "- [>] 2. Test it" in unfinished


def asked(hooked: Hooked) -> str:
    """What the server of a run got for an answer of its question, with nobody there but the hooks."""
    hooked.agls.configure(SCRIPTED + hooked.hooks + ASKING)
    hooked.agls.script({"calls": [call("mcp__sample__work", kind="asks")]}, {"text": "done"})
    return outputs(hooked.run())[0]


@pytest.mark.row(50)
def test_hook_answers_what_a_server_asks_and_changes_an_answer(hooked: Hooked) -> None:
    hooked.on("Elicitation", answer(action="accept", content={"name": "Ada"}), matcher="sample")
    assert '{"q1": {"action": "accept", "content": {"name": "Ada"}}}' in asked(hooked)
    (given,) = hooked.given("Elicitation")
    told = ("mcp_server_name", "mode", "message", "requested_schema")
    assert [given[name] for name in told[:3]] == ["sample", "form", "Who?"]
    assert list(given["requested_schema"]["properties"]) == ["name"]
    hooked.on("ElicitationResult", answer(content={"name": "Grace"}))
    assert '"content": {"name": "Grace"}' in asked(hooked)
    assert hooked.given("ElicitationResult")[0]["content"] == {"name": "Ada"}
    hooked.on("ElicitationResult", "sys.exit(2)", matcher="other|sample")
    assert '{"q1": {"action": "decline"}}' in asked(hooked)


@pytest.mark.row(50)
@pytest.mark.parametrize(
    ("code", "action"),
    [
        ("sys.exit(2)", "decline"),
        (answer(action="decline"), "decline"),
        (answer(action="accept", content={}), "cancel"),  # it does not fit, and nobody is there to be asked
        ("pass", "cancel"),
    ],
)
def test_hook_that_does_not_answer_leaves_the_question_as_it_is(
    hooked: Hooked, code: str, action: str
) -> None:
    hooked.on("Elicitation", code)
    assert f'{{"q1": {{"action": "{action}"}}}}' in asked(hooked)


@pytest.mark.row(50)
def test_hook_of_a_folder_accepts_nothing_in_the_users_place(hooked: Hooked) -> None:
    agls = hooked.agls
    script = agls.workspace / "yes.py"
    script.write_text(answer(action="accept", content={"name": "Ada"}).join(("import json\n", "\n")))
    entry = {"hooks": [{"type": "command", "command": f"python3 {script}"}]}
    (agls.workspace / ".claude").mkdir()
    (agls.workspace / ".claude/settings.json").write_text(json.dumps({"hooks": {"Elicitation": [entry]}}))
    agls.configure(SCRIPTED + ASKING)
    agls.script({"calls": [call("mcp__sample__work", kind="asks")]}, {"text": "done"})
    done = agls.run("run", "--output", "jsonl", "--mode", "allowAll", "--trust", "go")
    assert '{"q1": {"action": "cancel"}}' in outputs(done)[0]


def helped(agls: Agls, server: ModelServer) -> str:
    """What a session reads of a helper that works apart, and changes a file."""
    write_agent(agls, "isolation: worktree")
    go(agls, server, "--mode", "allowAll", "--trust")
    return str([m["content"] for m in server.posts[-1].body["messages"] if m["role"] == "tool"])


def with_hooks(hooked: Hooked) -> None:
    hooked.agls.configure(hooked.hooks)


@pytest.mark.row(50)
@pytest.mark.row(60)
def test_hook_makes_the_folder_of_a_helper_where_there_is_no_git(hooked: Hooked) -> None:
    apart = hooked.agls.home / "apart"
    hooked.on("WorktreeCreate", f"p = {str(apart)!r} + '/' + d['name']; os.makedirs(p); print(p)")
    with_hooks(hooked)
    write = Reply(calls=[("write_file", {"path": "b.txt", "content": "New.\n"})])
    with ModelServer([HAND, write, Reply("Changed."), Reply("End.")]) as server:
        report = helped(hooked.agls, server)
    (tree,) = apart.iterdir()
    assert (tree / "b.txt").read_text() == "New.\n"
    assert not (hooked.agls.workspace / "b.txt").exists()
    assert f"It worked in {tree}, a folder that a hook made" in report
    (given,) = hooked.given("WorktreeCreate")
    assert given["name"] == tree.name


@pytest.mark.row(50)
def test_folder_of_a_hook_that_is_not_the_asked_one_is_refused(hooked: Hooked) -> None:
    for code in ("print(os.path.expanduser('~'))", "print('apart')", "sys.exit(2)"):
        hooked.hooks = ""
        hooked.on("WorktreeCreate", code)
        with_hooks(hooked)
        with ModelServer([HAND, Reply("End.")]) as server:
            report = helped(hooked.agls, server)
        assert "none could be made" in report
        assert "hook" in report


@pytest.mark.row(50)
def test_hook_hears_of_a_worktree_that_is_removed(hooked: Hooked) -> None:
    repository(hooked.agls)
    hooked.on("WorktreeRemove", "pass")
    with_hooks(hooked)
    with ModelServer([HAND, Reply("Nothing to do."), Reply("End.")]) as server:
        assert "the worktree is removed" in helped(hooked.agls, server)
    (given,) = hooked.given("WorktreeRemove")
    assert f"{hooked.agls.workspace}-worktrees/poet-" in given["worktree_path"]


@pytest.mark.row(50)
def test_hook_refuses_a_change_of_the_users_settings(hooked: Hooked) -> None:
    hooked.on("ConfigChange", "sys.stderr.write('ask the team'); sys.exit(2)", matcher="user_settings")
    done = hooked.run("/config set budget.max_turns 7")
    assert done.code != 0
    assert "h0 is against it: ask the team Nothing was changed." in done.out + done.err
    (given,) = hooked.given("ConfigChange")
    assert given["source"] == "user_settings"
    assert "max_turns" not in Path(given["file_path"]).read_text()


def setup(hooked: Hooked, *words: str) -> dict[str, Any]:
    done = hooked.agls.run("run", f"/hooks.setup {' '.join(words)}".strip())
    return {"code": done.code, "text": done.out + done.err}


@pytest.mark.row(50)
def test_setup_runs_the_hooks_that_prepare_a_folder(hooked: Hooked) -> None:
    hooked.on("Setup", "print('installed')", matcher="init")
    hooked.on("Setup", "sys.stderr.write('no network'); sys.exit(1)", matcher="maintenance")
    first, later = setup(hooked), setup(hooked, "maintenance")
    assert first["code"] == 0
    assert "h0: done in" in first["text"]
    assert "installed" in first["text"]
    assert later["code"] != 0
    assert "h1: failed in" in later["text"]
    assert "no network" in later["text"]
    assert [each["trigger"] for each in hooked.given("Setup")] == ["init", "maintenance"]
