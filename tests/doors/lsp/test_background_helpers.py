"""Helpers in the background, through the real server: questions, stopping, reports, cancel and crash."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.family import cast, config_for
from support.leftovers import gone
from support.model_server import Answer, ModelServer, Raw, Reply
from support.patience import wait_until
from support.rich_run import allow
from support.wire import Message, Wire

AGENTS = """
[agents.lead]
description = "Leads."
agents = ["worker"]
[agents.worker]
description = "Works."
tools = ["shell", "read_file"]
background = true
"""
HANGS = Raw(begin="hang")  # says nothing until the client leaves
WRITES = Reply(calls=[("shell", {"command": "echo from below > made.txt"})])


def hand(agent: str, words: str, **more: Any) -> Reply:
    return Reply(calls=[(f"agent__{agent}", {"task": words, **more})])


@contextmanager
def served(folder: Path, parts: Mapping[str, Sequence[Answer]]) -> Iterator[tuple[Wire, ModelServer]]:
    with ModelServer(cast(parts)) as server, Wire(folder, config_for(folder, server)) as wire:
        config = folder / "config.toml"
        config.write_text(config.read_text() + AGENTS)
        wire.initialize()
        yield wire, server


def invoke(wire: Wire, session: str, name: str, **given: Any) -> Any:
    return wire.call("agent/action/invoke", {"sessionId": session, "name": name, "input": given})


def states(wire: Wire, session: str) -> list[tuple[str, int]]:
    said = [e["data"] for e in wire.events if (e["sessionId"], e["type"]) == (session, "sessionState")]
    return [(data["state"], data["backgroundTasks"]) for data in said]


def tasks(wire: Wire, session: str) -> list[Message]:
    """The background tasks of a session that are complete."""
    ended = [
        e["data"]["item"] for e in wire.events if (e["sessionId"], e["type"]) == (session, "itemCompleted")
    ]
    return [item for item in ended if item["kind"] == "task"]


def seen_by_root(server: ModelServer) -> str:
    """All that the model of the root session was last sent."""
    posts = [p.body for p in server.posts if p.body["messages"][1]["content"].startswith("ROOT")]
    return str(posts[-1]["messages"])


def test_helper_works_and_asks_on_after_the_run_and_its_report_is_read_with_the_next_prompt(
    tmp_path: Path,
) -> None:
    parts = {
        "ROOT": [hand("worker", "WORK"), Reply("It is on its way."), Reply("I read it.")],
        "WORK": [WRITES, Reply("The report of the worker.")],
    }
    with served(tmp_path, parts) as (wire, server):
        root = wire.session()
        assert wire.run(root, "ROOT")["stopReason"] == "endTurn"
        wire.until(lambda m: ("idle", 1) in states(wire, root))
        wire.until(lambda m: m.get("method") == "agent/requestPermission")
        question = wire.of_method("agent/requestPermission")[0]["params"]
        assert (question["sessionId"] != root, question["agentId"]) == (True, "worker")
        (listed,) = invoke(wire, root, "task.list")["data"]["tasks"]
        assert (listed["taskId"], listed["state"], listed["title"]) == ("task_1", "running", "worker: WORK")
        answer = {"requestId": question["requestId"], "response": allow(question)}
        assert wire.call("agent/respond", answer) == {"outcome": "accepted"}
        wire.until(lambda m: states(wire, root)[-1] == ("idle", 0))
        assert (wire.workspace / "made.txt").read_text() == "from below\n"
        (item,) = tasks(wire, root)
        assert (item["status"], item["background"], "terminal" in item) == ("completed", True, False)
        assert "The report of the worker." in item["output"]
        assert "The report of the worker." not in seen_by_root(server)
        wire.run(root, "and now?")
        assert "task_1: completed: worker: WORK" in seen_by_root(server)
        assert seen_by_root(server).count("The report of the worker.") == 1


def test_question_of_a_background_helper_waits_for_a_client_that_left_and_comes_back(tmp_path: Path) -> None:
    parts = {"ROOT": [hand("worker", "WORK"), Reply("Begun.")], "WORK": [WRITES, Reply("Done.")]}
    with served(tmp_path, parts) as (wire, _):
        root = {"sessionId": wire.session()}
        wire.run(root["sessionId"], "ROOT")
        wire.until(lambda m: m.get("method") == "agent/requestPermission")
        wire.call("agent/detach", root)
        wire.until(lambda m: m.get("method") == "$/cancelRequest")
        wire.call("agent/resume", root)
        wire.until(lambda m: len(wire.of_method("agent/requestPermission")) == 2)
        first, again = (m["params"] for m in wire.of_method("agent/requestPermission"))
        assert again["requestId"] == first["requestId"]
        wire.call("agent/respond", {"requestId": again["requestId"], "response": allow(again)})
        wait_until((wire.workspace / "made.txt").exists)
        wire.unchecked = "what was told while nobody listened is a hole"


def test_question_of_a_helper_below_a_background_helper_reaches_the_client(tmp_path: Path) -> None:
    parts = {
        "ROOT": [hand("lead", "LEAD", background=True), Reply("Begun.")],
        "LEAD": [hand("worker", "WORK"), Reply("I wait."), Reply("Led.")],
        "WORK": [WRITES, Reply("Worked.")],
    }
    with served(tmp_path, parts) as (wire, server):
        wire.answers["agent/requestPermission"] = allow
        root = wire.session()
        wire.run(root, "ROOT")
        wire.until(lambda m: states(wire, root)[-1] == ("idle", 0))
        assert wire.of_method("agent/requestPermission")[0]["params"]["agentId"] == "worker"
        (item,) = tasks(wire, root)
        assert "Led." in item["output"]
        lead = [p.body for p in server.posts if p.body["messages"][1]["content"].startswith("LEAD")]
        assert "Worked." in str(lead[-1]["messages"]), "a helper ends only with the reports of its own"


@pytest.mark.row(60)
def test_user_stops_a_background_helper_and_the_next_run_reads_that(tmp_path: Path) -> None:
    parts = {"ROOT": [hand("worker", "WORK"), Reply("Begun."), Reply("I see.")], "WORK": [HANGS]}
    with served(tmp_path, parts) as (wire, server):
        root = wire.session()
        wire.run(root, "ROOT")
        wait_until(lambda: any(p.body["messages"][1]["content"].startswith("WORK") for p in server.posts))
        assert invoke(wire, root, "task.stop", task_id="task_1")["data"] == {"stopped": ["task_1"]}
        wire.until(lambda m: states(wire, root)[-1] == ("idle", 0))
        (item,) = tasks(wire, root)
        assert (item["status"], "stopped by the user" in item["output"]) == ("cancelled", True)
        (below,) = invoke(wire, root, "subagents")["data"]["children"]
        assert below["status"] == "cancelled"
        wire.run(root, "and?")
        assert "task_1: stopped: worker: WORK" in seen_by_root(server)


@pytest.mark.row(60)
def test_process_of_a_background_helper_ends_when_it_is_stopped(tmp_path: Path) -> None:
    waits = Reply(calls=[("shell", {"command": "echo $$ > pid.txt; sleep 600"})])
    parts = {"ROOT": [hand("worker", "WORK"), Reply("Begun.")], "WORK": [waits]}
    with served(tmp_path, parts) as (wire, _):
        root = wire.session(options={"mode": "allowAll"})
        wire.run(root, "ROOT")
        file = tmp_path / "workspace/pid.txt"
        wait_until(lambda: file.exists() and file.read_text().strip() != "")
        pid = int(file.read_text())
        assert not gone(pid)
        invoke(wire, root, "task.stop", task_id="task_1")
        wait_until(lambda: gone(pid))


@pytest.mark.row(60)
def test_model_waits_for_a_background_helper_and_may_stop_it(tmp_path: Path) -> None:
    look = Reply(calls=[("helper_task", {"task_id": "task_1", "wait_s": 30})])
    parts = {
        "ROOT": [
            hand("worker", "WORK"),
            look,
            hand("worker", "HANG"),
            Reply(calls=[("helper_task", {"task_id": "task_2", "stop": True})]),
            Reply(calls=[("helper_task", {})]),
            Reply("End."),
        ],
        "WORK": [Reply("The report.")],
        "HANG": [HANGS],
    }
    with served(tmp_path, parts) as (wire, server):
        root = wire.session()
        wire.run(root, "ROOT")
        said = seen_by_root(server)
        assert "task_1: completed: worker: WORK" in said and said.count("The report.") == 1
        assert "task_2: stopped: worker: HANG" in said
        first = next(p.body for p in server.posts if p.body["messages"][1]["content"].startswith("ROOT"))
        assert "helper_task" not in {tool["function"]["name"] for tool in first["tools"]}


def test_helper_that_a_killed_server_left_behind_is_reported_and_not_begun_again(tmp_path: Path) -> None:
    parts = {"ROOT": [hand("worker", "WORK"), Reply("Begun."), Reply("I know.")], "WORK": [HANGS]}
    with ModelServer(cast(parts)) as server:
        config = config_for(tmp_path, server)
        config.write_text(config.read_text() + AGENTS)
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            root = wire.session()
            wire.run(root, "ROOT")
            wait_until(lambda: any(p.body["messages"][1]["content"].startswith("WORK") for p in server.posts))
            wire.process.kill()
            wire.process.wait()
        worked = len(server.posts)
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            wire.call("agent/resume", {"sessionId": root})
            wire.run(root, "and?")
            wire.unchecked = "the session began in another process"
        posts = [p.body["messages"][1]["content"] for p in server.posts[worked:]]
        assert posts and all(each.startswith("ROOT") for each in posts)
        assert "not begun again" in seen_by_root(server) and "resume it by its session id" in seen_by_root(
            server
        )
