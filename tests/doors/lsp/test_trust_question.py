"""A client that does not say whether a folder is trusted: its user is asked once, and that is remembered."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from doors.lsp.plain_client import CLIENTS, block
from support.model_server import ModelServer, Reply, Request
from support.patience import wait_until
from support.wire import AGENT, Message, Wire

pytestmark = [pytest.mark.promise("P1"), pytest.mark.process, pytest.mark.timeout(120)]
SERVER = Path(__file__).parents[2] / "support" / "mcp_program.py"
ASKS = "window/showMessageRequest"
CAN_ASK: Message = {"window": {"showMessage": {"messageActionItem": {}}}}
Begin = Callable[..., Wire]


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Begin]:
    """Begin a client in a folder with instructions; its user gives this answer."""
    with ExitStack() as stack:
        server = stack.enter_context(ModelServer(lambda request: Reply("Hello.")))
        config = tmp_path / "config.toml"
        config.write_text(f'[models.m]\nbase_url = "{server.url}"\n')

        def start(answer: str | None, agent: Message | None = None, **hello: Any) -> Wire:
            wire = stack.enter_context(Wire(tmp_path, config))
            (wire.workspace / "AGENTS.md").write_text("Speak of penguins.\n")
            title = {"title": answer} if answer else None
            wire.answers[ASKS] = lambda params: title
            wire.initialize(AGENT if agent is None else agent, **{"capabilities": CAN_ASK, **hello})
            return wire

        yield start


def sees_instructions(wire: Wire, session: str) -> bool:
    """Whether the next request has the folder's instructions."""
    request = wire.call("agent/action/invoke", {"sessionId": session, "name": "prompt"})
    return "penguins" in str(request)


def test_user_is_asked_once_and_a_yes_holds_from_the_next_run_on(begin: Begin) -> None:
    wire = begin("Trust this folder")
    asked = wire.until(lambda m: m.get("method") == ASKS)["params"]
    assert asked["message"].startswith("AGENTS.md would instruct the agent how to work in ")
    assert [action["title"] for action in asked["actions"]] == ["Trust this folder", "Work without them"]
    wire.until(lambda m: m.get("method") == "window/showMessage" and "is trusted" in m["params"]["message"])
    assert sees_instructions(wire, wire.session())
    wire.leave()
    again = begin(None)
    session = again.session()
    assert sees_instructions(again, session)
    assert again.of_method(ASKS) == []
    again.call("agent/action/invoke", {"sessionId": session, "name": "trust", "input": {"do": "revoke"}})
    assert not sees_instructions(again, again.session(clientKey="other"))


def test_no_is_remembered_and_a_dismissed_question_is_asked_again(begin: Begin) -> None:
    for answer, times in ((None, 1), ("Work without them", 1), (None, 0)):
        wire = begin(answer)
        if times:
            wire.until(lambda m: m.get("method") == ASKS)
        assert not sees_instructions(wire, wire.session())
        wire.leave()
        assert len(wire.of_method(ASKS)) == times


@pytest.mark.parametrize("hello", [{"initializationOptions": {"trusted": False}}, {"capabilities": {}}])
def test_client_that_decides_itself_or_cannot_ask_gets_no_question(begin: Begin, hello: Message) -> None:
    wire = begin("Trust this folder", **hello)
    assert not sees_instructions(wire, wire.session())
    wire.leave()
    assert wire.of_method(ASKS) == []


@pytest.mark.parametrize("name", CLIENTS)
def test_editor_without_our_code_asks_its_user_where_it_can(begin: Begin, name: str) -> None:
    capabilities = block(name)["capabilities"]
    wire = begin("Work without them", {}, capabilities=capabilities)
    if "showMessage" in capabilities.get("window", {}):
        wire.until(lambda m: m.get("method") == ASKS)
    wire.leave()


def test_revoking_ends_a_server_of_the_folder_also_for_the_run_that_is_on(tmp_path: Path) -> None:
    """Its user does not wait for the end of the process, nor of the run: nothing starts it again."""
    workspace, pid = tmp_path / "workspace", tmp_path / "pid"
    workspace.mkdir()
    line = f"echo $$ > {pid}; exec {sys.executable} {SERVER} {tmp_path}"
    servers = {"mcpServers": {"mine": {"command": "sh", "args": ["-c", line]}}}
    (workspace / ".mcp.json").write_text(json.dumps(servers))
    seen: list[str] = []

    def answer(request: Request) -> Reply:
        seen.append(str(request.body["messages"][-1]))
        if len(seen) == 2:
            assert Path(f"/proc/{pid.read_text().strip()}").exists(), "it was called and stays"
            revoke = {"sessionId": session, "name": "trust", "input": {"do": "revoke"}}
            seen.append(str(wire.call("agent/action/invoke", revoke)))
        return Reply(calls=[("mcp__mine__echo", {"number": 1})]) if len(seen) < 4 else Reply("Done.")

    with ModelServer(answer) as model:
        config = tmp_path / "config.toml"
        config.write_text(f'[models.m]\nbase_url = "{model.url}"\n')
        with Wire(tmp_path, config) as wire:
            wire.answers[ASKS] = lambda params: {"title": "Trust this folder"}
            wire.answers["agent/requestPermission"] = lambda asked: {
                "outcome": "selected", "optionId": asked["options"][0]["optionId"],
            }  # fmt: skip
            wire.initialize(AGENT, capabilities=CAN_ASK)
            wire.until(lambda m: "is trusted" in str(m.get("params", {}).get("message")))
            session = wire.session()
            assert wire.run(session)["stopReason"] == "endTurn"
            assert "MCP servers that came from it were stopped" in seen[2]
            assert "not trusted any more" in seen[3], "what the model is told of the second call"
            wait_until(lambda: not Path(f"/proc/{pid.read_text().strip()}").exists())
            offered = [tool["function"]["name"] for tool in model.posts[-1].body["tools"]]
            assert wire.run(session)["stopReason"] == "endTurn"
            later = [tool["function"]["name"] for tool in model.posts[-1].body["tools"]]
            assert ("mcp__mine__echo" in offered, "mcp__mine__echo" in later) == (True, False)
