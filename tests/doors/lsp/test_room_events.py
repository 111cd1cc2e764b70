"""The events on what features keep and offer: `checkpoint`, `turnDiff`, `commands`."""

import json
from pathlib import Path
from typing import Any

from agls.doors.agent.attached import Attached
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.peer import Peer
from agls.doors.lsp.client import read_client
from agls.doors.lsp.plain.presenter import LspPresenter
from agls.engine.actions import ActionContext, ActionOutcome
from agls.engine.facts import Admitted
from agls.engine.feature import Feature, RunSetup
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import Text
from agls.stores.memory import MemoryStore
from agls.toolkit import Arguments, TypedAction
from support.scenario import NOWHERE, FakeClock, FakeModel, say
from support.wire import AGENT, Message, Wire, script, turns

from .conftest import Serve

FREE: Message = {"mode": "allowAll"}


def call(name: str, **arguments: Any) -> Message:
    return {"calls": [{"name": name, "arguments": arguments}]}


def told(wire: Wire, type: str) -> list[Message]:
    return [event for event in wire.events if event["type"] == type]


# --- checkpoint, turnDiff --------------------------------------------------------------------------


def test_checkpoint_event_follows_the_changes_of_a_call_a_command_and_a_restore(serve: Serve) -> None:
    write = call("write_file", path="a.txt", content="one\n")
    wire = serve(
        turns(write, call("shell", command="echo two > a.txt"), call("shell", command="true"), "Done.")
    )
    wire.initialize()
    session = wire.session(options=FREE)
    run = wire.run(session)
    uri = (wire.workspace / "a.txt").as_uri()
    calls = [e["itemId"] for e in told(wire, "itemCompleted") if e["data"]["item"]["kind"] == "toolCall"]
    assert [event["data"] for event in told(wire, "checkpoint")] == [
        {"checkpointId": calls[0], "reason": "call", "files": [uri]},
        {"checkpointId": calls[1], "reason": "command", "files": [uri]},
    ]
    assert {event["runId"] for event in told(wire, "checkpoint")} == {run["runId"]}
    compared = {"sessionId": session, "name": "checkpoint.diff", "input": {"callId": calls[1]}}
    files = wire.call("agent/action/invoke", compared)["data"]["files"]
    assert [file["patch"] for file in files] == ["--- a/a.txt\n+++ b/a.txt\n@@ -1,1 +1,1 @@\n-one\n+two\n"]
    restore = {"sessionId": session, "name": "checkpoint.restore", "input": {"toItemId": ""}}
    name = wire.call("agent/action/invoke", restore)["data"]["checkpointId"]
    wire.event("checkpoint", checkpointId=name, files=[uri])
    assert [event["data"] for event in told(wire, "checkpoint")[2:]] == [
        {"checkpointId": name, "reason": "restore", "files": []},
        {"checkpointId": name, "reason": "restore", "files": [uri]},
    ]
    page = wire.call("agent/events", {"sessionId": session, "types": ["checkpoint"]})["events"]
    assert page == told(wire, "checkpoint")
    undone = {"sessionId": session, "name": "checkpoint.restore", "input": {"checkpointId": name}}
    wire.call("agent/action/invoke", undone)
    assert (wire.workspace / "a.txt").read_text() == "two\n"


def test_turn_diff_event_has_the_changes_of_the_run_so_far(serve: Serve) -> None:
    first, second = (call("write_file", path=f"{name}.txt", content=f"{name}\n") for name in "ab")
    wire = serve(turns(first, second, "Done."))
    wire.initialize()
    run = wire.run(wire.session(options=FREE))
    patches = [f"--- /dev/null\n+++ b/{name}.txt\n@@ -0,0 +1,1 @@\n+{name}\n" for name in "ab"]
    diffs = told(wire, "turnDiff")
    assert [event["data"] for event in diffs] == [{"diff": patches[0]}, {"diff": "".join(patches)}]
    assert {event["runId"] for event in diffs} == {run["runId"]}


# --- commands --------------------------------------------------------------------------------------


def names(commands: list[Message]) -> list[str]:
    return [command["name"] for command in commands]


def test_commands_event_comes_for_a_new_session_and_for_a_resumed_one(tmp_path: Path, serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    made = wire.call("agent/session/new", {"cwd": wire.workspace.as_uri()})
    session = made["sessionId"]
    assert made["commands"] == wire.call("agent/action/list", {"sessionId": session})["actions"]
    assert {"usage", "changes", "checkpoint.restore"} <= set(names(made["commands"]))
    wire.run(session)
    wire.call("agent/detach", {"sessionId": session})
    assert not told(wire, "commands"), "the client knows them"
    wire.call("agent/resume", {"sessionId": session})
    assert wire.event("commands")["data"] == {"commands": made["commands"]}
    assert wire.leave() == 0
    with Wire(tmp_path, script(tmp_path)) as other:
        other.initialize()
        answer = other.call("agent/resume", {"sessionId": session})
        event = other.event("commands")
        assert (event["after"], event["data"]["commands"]) == (answer["seq"], made["commands"])
        behind = other.index(lambda m: "commands" in str(m.get("params", {}).get("events", "")))
        assert other.index(lambda m: m.get("result") == answer) < behind


def test_client_without_the_commands_type_gets_no_commands_event(tmp_path: Path, serve: Serve) -> None:
    wire = serve("one")
    wire.initialize()
    session = wire.session()
    assert wire.leave() == 0
    with Wire(tmp_path, script(tmp_path)) as other:
        other.initialize({**AGENT, "events": {"exclude": ["commands"]}})
        other.call("agent/resume", {"sessionId": session})
        assert other.leave() == 0
        other.closed()
        assert told(other, "commands") == []


class Dance(Arguments):
    """Dance."""


async def dance(arguments: Dance, context: ActionContext) -> ActionOutcome:
    return ActionOutcome("danced")


class Given:
    """A writer that keeps what it is given."""

    backlog = others = 0

    def __init__(self) -> None:
        self.events: list[Message] = []

    def put(self, pieces: Any) -> bool:
        self.events += [json.loads(piece.text) for piece in pieces]
        return False


async def test_changed_commands_are_sent_again_after_a_run() -> None:
    offered: list[str] = []

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        acts = [TypedAction(name=name, title=name, arguments=Dance, work=dance) for name in offered]
        return RunSetup((Feature(name="f", actions=tuple(acts)),), FakeModel([say()]), NOWHERE)

    block = {"experimental": {"agent": {"protocolVersions": [1], "events": {}}}}
    given: Any = Given()
    async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        client = read_client({"capabilities": block})
        peer = Peer(given, ConnectionLimits(), client)
        presenter = LspPresenter(session, "own", peer)
        attached = Attached(session, peer, presenter, lambda: None, lambda: list(offered))
        attached.offer()
        for now in ([], ["waltz"], ["waltz"], ["waltz", "tango"]):
            offered[:] = now
            admission = await session.prompt((Text("go"),))
            await session.finished(admission.run_id)
    sets = [names(e["data"]["commands"]) for e in given.events if e["type"] == "commands"]
    assert sets == [[], ["waltz"], ["waltz", "tango"]]
