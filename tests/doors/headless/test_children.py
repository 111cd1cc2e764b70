"""Children on the command line: told to programs, silent for people, their questions answered or refused."""

import subprocess
from typing import Any

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_control import Program
from support.family import cast, delegate, task
from support.model_server import ModelServer, Reply
from support.rich_run import allow

WRITES = Reply(calls=[("write_file", {"path": "made.txt", "content": "by a child\n"})])
PARTS = {"ROOT": [delegate(task("WORK", "w")), Reply("All done.")], "WORK": [WRITES, Reply("Worked.")]}
AGENT = '[agents.lead]\ndescription = "Leads."\nprompt = "You lead."\n'


def configured(agls: Agls, server: ModelServer, more: str = "") -> None:
    agls.configure(f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n{more}')


def test_a_program_sees_a_child_and_answers_its_question(agls: Agls) -> None:
    with ModelServer(cast(PARTS)) as server:
        configured(agls, server)
        always = ("run", "ROOT", "--input", "jsonl", "--output", "jsonl")
        program = Program(agls.start(*always, stdin=subprocess.PIPE))
        asked = program.event("requestOpened")
        answer = {"requestId": asked["data"]["requestId"], "response": allow(asked["data"])}
        assert program.ask(1, "agent/respond", **answer)["result"] == {"outcome": "accepted"}
        code, lines = program.end()
    root = lines[0]["sessionId"]
    assert (code, lines[-1]["sessionId"], lines[-1]["data"]["stopReason"]) == (0, root, "endTurn")
    told: list[dict[str, Any]] = [line for line in lines[1:] if "type" in line and line["sessionId"] != root]
    (call,) = {
        line["itemId"] for line in lines if line.get("type") == "itemStarted" and "delegate" in str(line)
    }
    assert {(line["agentId"], line["parentItemId"]) for line in told} == {("helper", call)}
    assert [line["seq"] for line in told if "seq" in line][:1] == [1]
    assert (agls.workspace / "made.txt").read_text() == "by a child\n"
    sessions = agls.sessions()
    assert len(sessions) == 2


@pytest.mark.parametrize("output", ["text", "json", "jsonl"])
def test_question_of_a_child_without_an_attached_client_is_refused_and_counted(
    agls: Agls, output: str
) -> None:
    with ModelServer(cast(PARTS)) as server:
        configured(agls, server)
        done = agls.run("run", "ROOT", "--output", output)
    assert done.code == 3, "a human was needed"
    assert not (agls.workspace / "made.txt").exists()
    if output == "text":
        assert done.out == "All done.\n", "what the child said is not the answer"
        assert "1 question without anybody to answer" in done.err
    if output == "json":
        assert (done.whole["result"], done.whole["unanswered"]) == ("All done.", 1)


def test_a_run_of_one_of_the_agents_and_a_resume_of_the_session_not_of_its_child(agls: Agls) -> None:
    with ModelServer(cast(PARTS)) as server:
        configured(agls, server, AGENT)
        done = agls.run("run", "ROOT", "--agent", "lead", "--mode", "allowAll", "--output", "json")
        assert (done.code, done.whole["result"]) == (0, "All done.")
        assert server.posts[0].body["messages"][0]["content"].startswith("You lead.")
        assert server.posts[1].body["messages"][0]["content"].startswith("You lead."), "a helper like itself"
        again = agls.run("resume", "--output", "json")
        assert done.whole["sessionId"] in again.whole["error"]["message"], "the latest one of the user's"
        wrong = agls.run("run", "ROOT", "--agent", "nobody", "--output", "json")
    assert wrong.code == 2
    assert wrong.whole["error"]["message"].startswith("there is no agent 'nobody'; there are explore")


def test_commands_of_a_helper_begin_in_the_root_wherever_those_of_its_parent_do(agls: Agls) -> None:
    """The tool says so to whoever delegates."""
    (agls.workspace / "deep").mkdir()
    replies = {
        "ROOT": [
            Reply(calls=[("shell", {"command": "cd deep"})]),
            delegate(task("WORK", "w")),
            Reply(calls=[("shell", {"command": "pwd"})]),
            Reply("All done."),
        ],
        "WORK": [Reply(calls=[("shell", {"command": "pwd"})]), Reply("Worked.")],
    }
    with ModelServer(cast(replies)) as server:
        configured(agls, server)
        done = agls.run("run", "ROOT", "--mode", "allowAll", "--output", "jsonl")
        tools = server.posts[0].body["tools"]
    assert done.code == 0, done.err
    ended = [event for event in done.events if event.get("type") == "itemCompleted"]
    printed = {
        event["agentId"]: event["data"]["item"]["output"].split("\n")[0]
        for event in ended
        if event["data"]["item"].get("input") == {"command": "pwd"}
    }
    root = str(agls.workspace.resolve())
    assert printed == {"helper": root, "main": f"{root}/deep"}
    (described,) = (
        tool["function"]["description"] for tool in tools if tool["function"]["name"] == "delegate"
    )
    assert "its commands begin in the root of the workspace" in " ".join(described.split())


def test_run_on_the_command_line_ends_with_the_reports_of_helpers_in_the_background(agls: Agls) -> None:
    parts = {
        "ROOT": [delegate(task("WORK", "w"), background=True), Reply("I wait."), Reply("It says: fine.")],
        "WORK": [Reply("The report is fine.")],
    }
    with ModelServer(cast(parts)) as server:
        configured(agls, server)
        done = agls.run("run", "ROOT", "--output", "json")
        assert (done.code, done.whole["result"]) == (0, "It says: fine.")
        assert "task_1: completed: delegate: w" in str(server.posts[-1].body["messages"][-1])
        assert "The report is fine." in str(server.posts[-1].body["messages"][-1])
