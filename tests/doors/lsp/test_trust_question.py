"""A client that does not say whether a folder is trusted: its user is asked once, and that is remembered."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from doors.lsp.plain_client import CLIENTS, block
from support.model_server import ModelServer, Reply
from support.wire import AGENT, Message, Wire

pytestmark = [pytest.mark.promise("P1"), pytest.mark.process, pytest.mark.timeout(120)]
ASKS = "window/showMessageRequest"
CAN_ASK = {"window": {"showMessage": {"messageActionItem": {}}}}
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
