"""What an agent's file says where somebody is there to decide: memory, hooks, handoffs."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.model_server import ModelServer, Reply
from support.patience import wait_until
from support.wire import Message, Wire, events_in

PROGRAM = str(Path(__file__).parents[2] / "support/mcp_program.py")
HOOKS = """\
hooks:
  PreToolUse:
    - matcher: Bash
      hooks:
        - type: command
          command: "echo no commands for poets >&2; exit 2"
  Stop:
    - hooks:
        - {type: command, command: "echo ended >> ends.txt"}
"""
HANDOFFS = """\
handoffs:
  - label: Have it reviewed
    agent: critic
    prompt: Review what was written.
    send: false
"""


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as server:
        yield server


@pytest.fixture
def wire(tmp_path: Path, server: ModelServer) -> Iterator[Wire]:
    config = tmp_path / "config.toml"
    config.write_text(f'[models.m]\nbase_url = "{server.url}"\ncontext_window = 100000\n')
    with Wire(tmp_path, config) as wire:
        wire.initialize()
        yield wire


def write_agent(tmp_path: Path, keys: str, name: str = "poet") -> None:
    file = tmp_path / f"agents/{name}.md"
    file.parent.mkdir(exist_ok=True)
    file.write_text(f"---\nname: {name}\ndescription: Writes.\n{keys}\n---\nYou are the {name}.\n")


def decide(wire: Wire, *decisions: str) -> list[Message]:
    """Answer the questions in turn so, the last for all others; gives the list of those that come."""
    asked: list[Message] = []

    def answer(params: Message) -> Message:
        decision = decisions[min(len(asked), len(decisions) - 1)]
        asked.append(params)
        option = next(option for option in params["options"] if option["decision"] == decision)
        return {"outcome": "selected", "optionId": option["optionId"]}

    wire.answers["agent/requestPermission"] = answer
    return asked


def said(server: ModelServer, request: int = -1) -> str:
    return str(server.posts[request].body["messages"])


@pytest.mark.row(53)
def test_agent_keeps_notes_of_its_own_that_the_user_allows_and_is_told_them_again(
    wire: Wire, server: ModelServer, tmp_path: Path
) -> None:
    write_agent(tmp_path, "memory: user")
    notes = Reply(calls=[("write_own_memory", {"text": "- Verses rhyme here."})])
    server.add(notes, Reply("Done."), Reply("Again."), Reply("Mine."))
    asked = decide(wire, "allow")
    poet = wire.session(options={"agent": "poet"})
    wire.run(poet)
    assert "There are none yet." in said(server, 0)
    (question,) = asked
    assert "Verses rhyme here." in question["title"]
    assert {option["scope"] for option in question["options"]} <= {"once", None}, "never for good"
    assert (tmp_path / "memory/agents/poet/user.md").read_text() == "- Verses rhyme here.\n"
    wire.run(wire.session(options={"agent": "poet"}, clientKey="second"))
    assert "Verses rhyme here." in said(server)
    wire.run(wire.session(clientKey="third"))
    assert "Verses rhyme here." not in said(server), "they are that agent's alone"


@pytest.mark.row(53)
def test_hooks_of_an_agent_hold_for_its_runs_alone_and_after_consent(
    wire: Wire, server: ModelServer, tmp_path: Path
) -> None:
    write_agent(tmp_path, HOOKS)
    shell = Reply(calls=[("shell", {"command": "echo hello"})])
    hand = Reply(calls=[("agent__poet", {"task": "Write."})])
    server.add(shell, hand, shell, Reply("A verse."), Reply("End."))
    asked = decide(wire, "allow")
    wire.run(wire.session())
    titles = [question["title"] for question in asked]
    assert sum("of the agent poet" in title for title in titles) == 2, titles
    assert "no commands for poets" not in said(server, 1)
    assert "no commands for poets" in said(server, 3)
    assert wire.workspace.joinpath("ends.txt").read_text() == "ended\n", "Stop is the end of the helper"
    server.add(hand, shell, Reply("A verse."), Reply("End."))
    write_agent(tmp_path, HOOKS.replace("echo no", "echo not"))
    asked = decide(wire, "reject")
    wire.run(wire.session(clientKey="second"))
    assert any("of the agent poet" in question["title"] for question in asked), "what changed asks again"
    assert "not commands for poets" not in said(server, -2)


@pytest.mark.row(53)
def test_server_that_an_agent_defines_is_started_for_it_after_consent_and_ends_with_it(
    wire: Wire, server: ModelServer, tmp_path: Path
) -> None:
    place = tmp_path / "small"
    place.mkdir()
    entry = {"type": "stdio", "command": sys.executable, "args": [PROGRAM, str(place)]}
    write_agent(tmp_path, f"mcpServers:\n  - small: {json.dumps(entry)}\n  - docs")
    echo = Reply(calls=[("mcp__small__echo", {"number": 7})])
    hand = Reply(calls=[("agent__poet", {"task": "Write."})])
    server.add(echo, hand, echo, Reply("A verse."), Reply("End."))
    asked = decide(wire, "allow")
    wire.run(wire.session())
    (question,) = [each for each in asked if each["title"] == "Use the server small"]
    assert "the agent poet" in str(question)
    assert str(place) in str(question), "it shows what it would run"
    assert "There is no tool called 'mcp__small__echo'" in said(server, 1), "others do not have it"
    assert '{"number": 7}' in said(server, 3)
    (pid,) = (place / "starts").read_text().split()
    wait_until(lambda: not Path(f"/proc/{pid}").exists())
    decide(wire, "reject")
    write_agent(tmp_path, f"mcpServers:\n  - small: {json.dumps({**entry, 'env': {'A': 'b'}})}")
    server.add(hand, echo, Reply("A verse."), Reply("End."))
    wire.run(wire.session(clientKey="second"))
    assert "There is no tool called 'mcp__small__echo'" in said(server, -2), "what changed asks again"
    assert len((place / "starts").read_text().split()) == 1


@pytest.mark.row(53)
def test_agent_that_never_asks_is_refused_what_needs_a_question(
    wire: Wire, server: ModelServer, tmp_path: Path
) -> None:
    write_agent(tmp_path, "permissionMode: dontAsk")
    hand = Reply(calls=[("agent__poet", {"task": "Write."})])
    write = Reply(
        calls=[("write_file", {"path": "verse.txt", "content": "A verse."}), ("glob", {"pattern": "*"})]
    )
    server.add(hand, write, Reply("A verse."), Reply("End."))
    asked = decide(wire, "allow")
    wire.run(wire.session())
    assert asked == []
    assert "for this agent nobody is asked" in said(server, 2)
    assert not wire.workspace.joinpath("verse.txt").exists()


@pytest.mark.row(53)
def test_conversation_is_handed_over_to_an_agent_that_is_suggested(
    wire: Wire, server: ModelServer, tmp_path: Path
) -> None:
    write_agent(tmp_path, HANDOFFS)
    write_agent(tmp_path, "", "critic")
    server.add(Reply("A verse."), Reply("It rhymes."), Reply("Still the critic."))
    session = wire.session(options={"agent": "poet"})
    wire.run(session)
    call = {"sessionId": session, "name": "agent.handoff"}
    shown = wire.call("agent/action/invoke", {**call, "input": {}})
    assert shown["data"]["handoffs"] == [
        {"label": "Have it reviewed", "agent": "critic", "prompt": "Review what was written."}
    ]
    begun = wire.call("agent/action/invoke", {**call, "input": {"to": "critic"}})
    wire.until(lambda m: any(_ends(event, begun["runId"]) for event in events_in(m)))
    assert "Review what was written." in said(server)
    assert "A verse." in said(server)
    assert "You are the critic." in str(server.posts[-1].body["messages"][0])
    wire.run(session)
    assert "You are the critic." in str(server.posts[-1].body["messages"][0])


def _ends(event: Message, run_id: str) -> bool:
    return event["type"] == "runEnded" and event["runId"] == run_id
