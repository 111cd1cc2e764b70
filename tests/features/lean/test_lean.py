"""A model with a small context gets little to read, and the user knows."""

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agls.config import ConfigInputs, read
from agls.engine.ports import Effect
from agls.engine.vocabulary import Text, ToolCall
from agls.features.instructions.prompt import SHORT, SYSTEM
from agls.features.instructions.settings import Settings as Instructions
from agls.features.lean.feature import build
from agls.features.lean.settings import Settings
from agls.room.run_ports import RunInfo
from agls.workspace.editor import NoEditor
from agls.world import open_world
from support.model_faults import with_tools
from support.model_server import ModelServer, Reply
from support.rooms import FakeDoer, Notices, results, use
from support.scenario import FakeTool, Meanwhile, check, say

SMALL = RunInfo(window=4096, is_small=True)


@pytest.mark.parametrize(("window", "small"), [(None, False), (16_384, False), (16_383, True), (4_096, True)])
def test_a_context_is_small_when_it_is_known_to_be(window: int | None, small: bool) -> None:
    assert Settings().applies(window) is small
    assert not Settings(below=0).applies(window)


async def test_only_the_chosen_tools_are_offered_in_their_first_sentence() -> None:
    seen: list[Any] = []

    async def look(scene: Meanwhile) -> None:
        seen.append(scene.model.requests)

    room = build(Settings(tools=("read",)), SMALL)
    await check(
        say(), facts=None, features=[room, with_tools(FakeTool("read"), FakeTool("list"))], meanwhile=look
    )
    (request,) = seen[0]
    assert [(tool.name, tool.description) for tool in request.tools] == [("read", "The tool read.")]


async def test_a_tool_that_was_left_out_still_works_when_it_is_called() -> None:
    tool = FakeDoer("list", Effect.READS)
    state = await check(
        use(ToolCall("c", "list", {})),
        say(),
        facts=None,
        features=[build(Settings(), SMALL), with_tools(tool)],
    )
    assert results(state) == {"c": "ok"}


async def test_notice_about_a_small_context_is_shown_once() -> None:
    seen = Notices()
    again = use(ToolCall("c", "read", {}))
    features = [build(Settings(), SMALL), with_tools(FakeTool("read"))]
    await check(again, say(), facts=None, features=features, meanwhile=seen)
    assert seen.titles == ["This model has a small context"]
    assert "4,096 tokens" in seen.texts[0] and "read_file, edit_file" in seen.texts[0]


def test_the_short_instructions_leave_room() -> None:
    usual, small = Instructions(), RunInfo(window=8192, is_small=True)
    short = usual.for_run(small)
    assert (short.system, short.file_limit) == (SHORT, 6553)
    assert usual.for_run(RunInfo()) == usual.for_run(RunInfo(window=100_000)) == usual
    assert Instructions(system="Mine.").for_run(small).system == "Mine."
    assert usual.for_run(replace(small, prompt="The agent's.")).system == "The agent's."
    assert len(SHORT) < len(SYSTEM) / 2


async def first_request(folder: Path, model: str) -> Any:
    """What a whole agls sends first to a model that is configured so."""
    (folder / "workspace").mkdir()
    with ModelServer([Reply("hi")]) as server:
        config = f'model = "m"\n[models.m]\nbase_url = "{server.url}"\n{model}\n'
        config += '[permissions]\nmode = "allowAll"\n'  # nobody is there to be asked
        (folder / "config.toml").write_text(config)
        told = ConfigInputs(config_file=str(folder / "config.toml"), state_dir=str(folder / "state"))
        setup = read(told, str(folder / "workspace"), lambda root: True, {})
        async with open_world(setup, editor=NoEditor(), headless=False) as world:
            session = await world.sessions.create(str(folder / "workspace"))
            await session.finished((await session.prompt((Text("go"),))).run_id)
    return server.posts[0]


async def test_a_small_model_gets_less_to_read_than_a_large_one(tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    (tmp_path / "large").mkdir()
    small = await first_request(tmp_path / "small", "context_window = 8192")
    large = await first_request(tmp_path / "large", "")
    assert [tool["function"]["name"] for tool in small.body["tools"]] == [
        "read_file", "edit_file", "write_file", "grep", "shell"
    ]  # fmt: skip
    assert small.body["messages"][0]["content"].startswith(SHORT)
    assert large.body["messages"][0]["content"].startswith(SYSTEM)
    assert len(large.body["tools"]) > len(small.body["tools"])
    assert len(json.dumps(small.body)) < 0.7 * len(json.dumps(large.body))
