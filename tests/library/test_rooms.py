"""Rooms that arrive while the process runs: their place, what they get, and what is refused."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from agls.assembly import Rooms
from agls.engine.ports import Workspace
from agls.library import (
    ActionOutcome,
    ActionRefused,
    Agent,
    Arguments,
    ConfigError,
    Effect,
    Feature,
    NoSettings,
    Room,
    ToolOutcome,
    TypedAction,
    TypedTool,
)
from agls.order import MCP
from support.model_server import ModelServer, Reply


class Bell(Arguments):
    """Ring a bell."""


async def ring(arguments: Bell, context: object) -> ToolOutcome:
    """Nothing comes of it."""
    return ToolOutcome("Ding.")


async def strike(arguments: Bell, context: object) -> ActionOutcome:
    """Nothing comes of it."""
    return ActionOutcome("Dong.")


def bells(name: str, *, tool: str = "", action: str = "") -> Room[NoSettings]:
    """A room with one tool, which executes something, and one action."""

    def build(settings: NoSettings) -> Feature:
        executes = frozenset({Effect.EXECUTES})
        return Feature(
            name=name,
            tools=(TypedTool(name=tool or f"{name}_ring", arguments=Bell, work=ring, effects=executes),),
            actions=(TypedAction(name=action or f"{name}.strike", title="", arguments=Bell, work=strike),),
        )

    return Room(name, NoSettings, build)


def _yes(question: object) -> bool:
    """Somebody is there who allows everything."""
    return True


def tools_of(post: Any) -> list[str]:
    """The names of the tools that a model was offered."""
    return [tool["function"]["name"] for tool in post.body["tools"]]


@pytest.fixture(autouse=True)
def apart(tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path_factory.mktemp("home") / "config.toml"
    config.write_text("")
    monkeypatch.setenv("AGLS_CONFIG", str(config))
    monkeypatch.delenv("AGLS_STATE_DIR", raising=False)


async def test_room_that_arrives_has_its_tools_and_actions_at_its_place_until_it_leaves(
    tmp_path: Path,
) -> None:
    with ModelServer([Reply("One."), Reply("Two."), Reply("Three.")]) as server:
        settings: dict[str, Any] = {
            "base_url": server.url,
            "model": "m",
            "subagents": {"delegate": True},
            "answer": lambda _: True,
        }
        async with Agent(tmp_path, **settings) as agent:
            agent.rooms.add(bells("plugin"))
            session = await agent.session()
            await session.run("hello")
            leave: Callable[[], None] = agent.rooms.add(bells("server"), MCP)
            agent.rooms.add(bells("second"))
            await session.run("hello")
            names = [action.name for action in session.actions()]
            assert (await session.act("server.strike")).text == "Dong."
            leave()
            await session.run("hello")
            with pytest.raises(ActionRefused, match="no action 'server\\.strike'"):
                await session.act("server.strike")
    first, second, third = (
        [name for name in tools_of(post) if name != "find_tools"] for post in server.posts
    )
    assert first[-4:] == ["plan", "remember", "delegate", "plugin_ring"]
    assert second[-4:] == ["delegate", "plugin_ring", "second_ring", "server_ring"]
    assert third[-3:] == ["delegate", "plugin_ring", "second_ring"]
    own = [name for name in names if name.endswith(".strike")]
    assert own == ["plugin.strike", "second.strike", "server.strike"]
    assert names.index("task.list") < names.index("plugin.strike") < names.index("tag")


async def test_tool_of_a_room_that_arrived_passes_the_permissions(tmp_path: Path) -> None:
    call = Reply("", calls=[("plugin_ring", {})])
    with ModelServer([call, Reply("Done."), call, Reply("Done.")]) as server:
        for answer, told in ((None, "not"), (lambda question: True, "Ding.")):
            settings: dict[str, Any] = {"base_url": server.url, "model": "m", "answer": answer}
            async with Agent(tmp_path, **settings) as agent:
                agent.rooms.add(bells("plugin"))
                result = await (await agent.session()).run("ring")
            (said,) = [message.text for message in result.messages if hasattr(message, "call_id")]
            assert told in said


async def test_room_that_arrives_gets_the_ports_it_needs(tmp_path: Path) -> None:
    roots: list[str] = []

    def build(settings: NoSettings, workspace: Workspace) -> None:
        roots.append(workspace.root)

    with ModelServer([Reply("One.")]) as server:
        room = Room("looks", NoSettings, build, needs=(Workspace,))
        async with Agent(tmp_path, base_url=server.url, model="m") as agent:
            agent.rooms.add(room)
            await (await agent.session()).run("hello")
    assert set(roots) == {str(tmp_path)}


@pytest.mark.parametrize("name", ["shell", "model", "prompt", "bell"])
def test_room_with_a_name_that_is_taken_is_refused(name: str) -> None:
    with pytest.raises(ConfigError, match=f"called '{name}': choose another name"):
        rooms = Rooms()
        rooms.add(bells("bell"))
        rooms.add(bells(name))


def test_room_that_needs_what_is_no_port_is_refused() -> None:
    with pytest.raises(ConfigError, match="the room 'odd' needs Path, which is no port"):
        Rooms().add(Room("odd", NoSettings, lambda *_: None, needs=(Path,)))


async def test_tool_and_action_whose_names_are_taken_are_left_out_and_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with ModelServer([Reply("One.")]) as server:
        room = bells("plugin", tool="shell", action="compact")
        async with Agent(tmp_path, base_url=server.url, model="m", answer=_yes) as agent:
            agent.rooms.add(room)
            session = await agent.session()
            await session.run("hello")
            names = [action.name for action in session.actions()]
    assert tools_of(server.posts[0]).count("shell") == names.count("compact") == 1
    assert "plugin: shell is left out, something else has this name" in caplog.text
    assert "plugin: compact is left out" in caplog.text
