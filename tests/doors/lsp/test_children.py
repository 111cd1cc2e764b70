"""Children through the real server: their events, their questions, cancel, crash (protocol#order)."""

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from support.family import cast, config_for, delegate, task
from support.model_server import Answer, ModelServer, Raw, Reply, Request
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
"""
HANGS = Raw(begin="hang")  # says nothing until the client leaves


def hand(agent: str, words: str) -> Reply:
    return Reply(calls=[(f"agent__{agent}", {"task": words})])


@contextmanager
def served(
    folder: Path, parts: Mapping[str, Sequence[Answer]], more: str = AGENTS
) -> Iterator[tuple[Wire, ModelServer]]:
    with ModelServer(cast(parts)) as server, Wire(folder, config_for(folder, server)) as wire:
        config = folder / "config.toml"
        config.write_text(config.read_text() + more)
        wire.initialize()
        yield wire, server


def sessions(wire: Wire) -> dict[str, Message]:
    return {row["sessionId"]: row for row in wire.call("agent/session/list")["sessions"]}


def of_session(wire: Wire, session_id: str, type: str) -> list[Message]:
    return [event for event in wire.events if (event["sessionId"], event["type"]) == (session_id, type)]


def chain(wire: Wire, root: str) -> list[str]:
    """The sessions from the root to the leaf, as each tells whose it is."""
    line = [root]
    while True:
        below = [
            event["sessionId"]
            for event in wire.events
            if event["type"] == "sessionInfo" and event["data"].get("parentSessionId") == line[-1]
        ]
        if not below:
            return line
        line.append(below[0])


TREE = {
    "ROOT": [hand("lead", "LEAD"), Reply("All done.")],
    "LEAD": [hand("worker", "WORK"), Reply("Led.")],
    "WORK": [Reply(calls=[("shell", {"command": "echo from below > made.txt"})]), Reply("Worked.")],
}


@pytest.mark.item(38)
def test_the_question_of_a_grandchild_reaches_the_client_and_events_say_whose_they_are(
    tmp_path: Path,
) -> None:
    """Conformance 38: nested permission at depth 2 reaches the client; events carry agent and parent."""
    with served(tmp_path, TREE) as (wire, _):
        wire.answers["agent/requestPermission"] = allow
        root = wire.session()
        ended = wire.run(root, "ROOT")
        assert ended["stopReason"] == "endTurn"
        assert (wire.workspace / "made.txt").read_text() == "from below\n"
        (asked,) = wire.of_method("agent/requestPermission")
        root, lead, worker = chain(wire, root)
        assert asked["params"]["sessionId"] == worker
        assert asked["params"]["agentId"] == "worker"
        assert asked["params"]["subject"]["command"] == "echo from below > made.txt"
        for parent, child, agent in ((root, lead, "lead"), (lead, worker, "worker")):
            (call,) = {e["itemId"] for e in of_session(wire, parent, "itemStarted") if is_call(e)}
            told = [event for event in wire.events if event["sessionId"] == child]
            assert {(event["agentId"], event["parentItemId"]) for event in told} == {(agent, call)}
            assert next(event["seq"] for event in told if "seq" in event) == 1, "from its first fact on"
            (item,) = [e["data"]["item"] for e in of_session(wire, parent, "itemCompleted") if is_child(e)]
            assert (item["childSessionId"], item["status"], item["title"]) == (child, "completed", agent)
        assert {event["agentId"] for event in wire.events if event["sessionId"] == root} == {"main"}
        assert not any("parentItemId" in event for event in wire.events if event["sessionId"] == root)
        rows = sessions(wire)
        assert (rows[worker]["parentSessionId"], rows[lead]["parentSessionId"]) == (lead, root)
        assert "parentItemId" in rows[worker] and "parentItemId" not in rows[root]
        used = wire.call(
            "agent/action/invoke", {"sessionId": root, "name": "usage", "input": {}, "clientKey": "u"}
        )
        assert used["data"]["session"]["inputTokens"] == 60, "six model calls, ten tokens each"
        assert ended["usage"]["inputTokens"] == 60


def is_call(event: Message) -> bool:
    return event["data"]["item"]["kind"] == "toolCall"


def is_child(event: Message) -> bool:
    return event["data"]["item"]["kind"] == "subagent"


def test_a_refused_question_of_a_child_is_read_by_the_child(tmp_path: Path) -> None:
    with served(tmp_path, TREE) as (wire, server):
        wire.answers["agent/requestPermission"] = lambda params: {"outcome": "dismissed"}
        assert wire.run(wire.session(), "ROOT")["stopReason"] == "endTurn"
        assert not (wire.workspace / "made.txt").exists()
        work = [
            p.body["messages"] for p in server.posts if p.body["messages"][1]["content"].startswith("WORK")
        ]
        assert "Not run" in work[-1][-1]["content"]


@pytest.mark.item(38)
def test_a_question_of_a_child_can_be_answered_with_respond_and_taken_up_again(tmp_path: Path) -> None:
    with served(tmp_path, TREE) as (wire, _):
        root = {"sessionId": wire.session()}
        request = wire.post("agent/run", {**root, "input": "ROOT", "wait": True})
        opened = wire.event("requestOpened")
        wire.until(lambda m: m.get("method") == "agent/requestPermission")
        wire.call("agent/detach", root)
        wire.until(lambda m: m.get("method") == "$/cancelRequest")
        wire.call("agent/resume", root)
        wire.until(lambda m: len(wire.of_method("agent/requestPermission")) == 2)
        question = wire.of_method("agent/requestPermission")[1]["params"]
        assert question["requestId"] == opened["data"]["requestId"]
        response = {"requestId": question["requestId"], "response": allow(question)}
        assert wire.call("agent/respond", response) == {"outcome": "accepted"}
        assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
        wire.unchecked = "what was told while nobody listened is a hole"


@pytest.mark.port("Palette")
def test_cancel_of_the_root_ends_a_tree_of_three_levels(tmp_path: Path) -> None:
    """A tree of 3 levels; cancel at the root: nothing runs any more, its totals have all."""
    parts = {**TREE, "WORK": [Reply(calls=[("read_file", {"path": "none"})]), HANGS]}
    with served(tmp_path, parts) as (wire, server):
        root = wire.session()
        request = wire.post("agent/run", {"sessionId": root, "input": "ROOT", "wait": True})
        wait_until(lambda: len(server.posts) == 4)
        assert wire.call("agent/cancel", {"sessionId": root})["state"] == "cancelling"
        result = wire.answer_of(request)["result"]
        assert result["stopReason"] == "cancelled"
        assert server.posts[3].closed.wait(60), "the model's answer for the leaf is not read any more"
        line = chain(wire, root)
        assert len(line) == 3
        ends = {s: [e["data"]["stopReason"] for e in of_session(wire, s, "runEnded")] for s in line}
        assert ends == {one: ["cancelled"] for one in line}
        assert {row["state"] for row in sessions(wire).values()} == {"idle"}
        assert not any(row.get("interrupted") for row in sessions(wire).values())
        assert result["usage"]["inputTokens"] == 30, "what root, lead and worker used"


def test_helper_at_work_is_an_item_in_progress_that_completes_once_before_its_call(tmp_path: Path) -> None:
    parts = {**TREE, "WORK": [HANGS]}
    with served(tmp_path, parts) as (wire, server):
        root = wire.session()
        request = wire.post("agent/run", {"sessionId": root, "input": "ROOT", "wait": True})
        wait_until(lambda: len(server.posts) == 3)
        wait_until(lambda: len(chain(wire, root)) == 3)
        lead = chain(wire, root)[1]
        (started,) = [e for e in of_session(wire, root, "itemStarted") if is_child(e)]
        item = {"itemId": started["itemId"], "kind": "subagent", "title": "lead", "childSessionId": lead}
        assert started["data"]["item"] == {**item, "status": "running"}
        resumed = wire.call("agent/resume", {"sessionId": root})
        assert [opened["kind"] for opened in resumed["openItems"]] == ["toolCall", "subagent"]
        assert resumed["openItems"][1] == {**item, "status": "running"}
        (run,) = resumed["snapshot"]["runs"]
        assert run["itemIds"][-2:] == [opened["itemId"] for opened in resumed["openItems"]]
        asked = {"sessionId": root, "itemId": item["itemId"]}
        assert wire.call("agent/item", asked)["item"] == {**item, "status": "running"}
        wire.call("agent/cancel", {"sessionId": root})
        wire.answer_of(request)
        ended = [e["data"]["item"] for e in of_session(wire, root, "itemCompleted")]
        assert [(i["kind"], i["status"]) for i in ended][-2:] == [
            ("subagent", "cancelled"),
            ("toolCall", "cancelled"),
        ]
        assert len([i for i in ended if i["itemId"] == item["itemId"]]) == 1
        shown = wire.call("agent/resume", {"sessionId": root})["snapshot"]["items"]
        assert [i["status"] for i in shown if i["itemId"] == item["itemId"]] == ["cancelled"]


def test_one_child_can_be_cancelled_by_itself(tmp_path: Path) -> None:
    parts = {**TREE, "WORK": [HANGS]}
    with served(tmp_path, parts) as (wire, server):
        root = wire.session()
        request = wire.post("agent/run", {"sessionId": root, "input": "ROOT", "wait": True})
        wait_until(lambda: len(server.posts) == 3)
        wait_until(lambda: len(chain(wire, root)) == 3)
        wire.call("agent/cancel", {"sessionId": chain(wire, root)[2]})
        assert wire.answer_of(request)["result"]["stopReason"] == "endTurn"
        told = [
            p.body["messages"][-1]["content"]
            for p in server.posts
            if p.body["messages"][-1]["role"] == "tool"
        ]
        assert told[0].startswith("[failed: cancelled: cancelled by the user]")


@pytest.mark.item(27)
@pytest.mark.parametrize("method", ["agent/session/delete", "agent/session/close"])
def test_end_of_a_session_ends_its_child_sessions_at_once(tmp_path: Path, method: str) -> None:
    """From the root on: ended from below, each of them would go on with what came back."""
    parts = {**TREE, "WORK": [HANGS]}
    with served(tmp_path, parts) as (wire, server):
        root = wire.session()
        request = wire.post("agent/run", {"sessionId": root, "input": "ROOT", "wait": True})
        wait_until(lambda: len(server.posts) == 3)
        wait_until(lambda: len(chain(wire, root)) == 3)
        line = chain(wire, root)
        wire.call(method, {"sessionId": root})
        assert wire.answer_of(request)["result"]["stopReason"] == "cancelled"
        ends = {s: [e["data"]["stopReason"] for e in of_session(wire, s, "runEnded")] for s in line}
        assert ends == {one: ["cancelled"] for one in line}
        assert len(server.posts) == 3, "no model is asked again"
        assert bool(sessions(wire)) == method.endswith("close")


def test_a_child_that_crashes_is_a_failed_result(tmp_path: Path) -> None:
    """A crash in a child (what it works with cannot be made any more) ends the child and nobody else."""
    play = cast({"ROOT": [hand("gone", "GONE"), Reply("I saw it.")]})
    definition = tmp_path / "workspace/.agls/agents/gone.toml"

    def choose(request: Request) -> Answer:
        definition.unlink(missing_ok=True)
        return play(request)

    with ModelServer(choose) as server, Wire(tmp_path, config_for(tmp_path, server)) as wire:
        definition.parent.mkdir(parents=True)
        definition.write_text('description = "Here for a moment."')
        wire.initialize(initializationOptions={"trusted": True})
        ended = wire.run(wire.session(), "ROOT")
        assert ended["stopReason"] == "endTurn"
        told = server.posts[-1].body["messages"][-1]["content"]
        assert told.startswith("[failed: internal error: ValueError: there is no agent 'gone'")
        crashed = [e["data"]["error"]["kind"] for e in wire.events if e["data"].get("error")]
        assert crashed == ["internal"]


def test_killed_while_a_child_works(tmp_path: Path) -> None:
    """kill -9 while a child runs a command: both are closed, nothing is run twice, the child can go on."""
    command = {"command": "echo ran >> ran.txt; sleep 1000", "timeout_s": 600}
    parts: dict[str, list[Any]] = {
        "ROOT": [delegate(task("WORK", "w")), Reply("Recovered.")],
        "WORK": [Reply(calls=[("shell", command)])],
    }
    ran = tmp_path / "workspace/ran.txt"
    with ModelServer(cast(parts)) as server:
        config = config_for(
            tmp_path, server, 'permissions = { mode = "allowAll" }\nrecovery = { start = "never" }'
        )
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            root = wire.session()
            wire.post("agent/run", {"sessionId": root, "input": "ROOT"})
            wait_until(lambda: ran.exists() and ran.read_text())
            wire.process.send_signal(signal.SIGKILL)
            wire.exit_code()
            wire.unchecked = "it was killed"
        with Wire(tmp_path, config) as wire:
            wire.initialize()
            rows = sessions(wire)
            (child,) = [s for s, row in rows.items() if row.get("parentSessionId") == root]
            assert all(row["state"] == "idle" and row["interrupted"] for row in rows.values())
            wire.call("agent/resume", {"sessionId": root})
            ended = wire.run(root, "", input=[], continueRun=True)
            assert ended["stopReason"] == "endTurn"
            last = server.posts[-1].body["messages"]
            assert "outcome of this call is unknown" in next(
                m["content"] for m in last if m["role"] == "tool"
            )
            assert f"- w, session {child}: interrupted" in str(last[-1]["content"]) + str(last[-2]["content"])
            shown = wire.call(
                "agent/action/invoke", {"sessionId": root, "name": "subagents", "input": {}, "clientKey": "s"}
            )
            assert [(c["label"], c["status"]) for c in shown["data"]["children"]] == [("w", "interrupted")]
            assert ran.read_text() == "ran\n", "nothing was run again"
            assert not [e for e in wire.events if e["type"] == "itemCompleted" and is_child(e)]
            shown = wire.call("agent/resume", {"sessionId": root, "replay": "all"})["snapshot"]["items"]
            (item,) = [item for item in shown if item["kind"] == "subagent"]
            assert (item["childSessionId"], item["status"]) == (child, "cancelled"), "it ended with its call"
            assert item["text"] == "the process ended before the run did"
            parts["ROOT"] += [delegate(task("Go on.", "again", resume=child)), Reply("Good.")]
            parts["WORK"].append(Reply("I look first."))
            assert wire.run(root, "More")["stopReason"] == "endTurn"
            total = wire.call(
                "agent/action/invoke", {"sessionId": root, "name": "usage", "input": {}, "clientKey": "u"}
            )
            assert total["data"]["session"]["modelCalls"] == 6, "four of the root, two of the child"
            assert ran.read_text() == "ran\n"
