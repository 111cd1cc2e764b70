"""A model is offered the tools that its family was trained with, by one table, and is told of them."""

from pathlib import Path
from typing import Any

import pytest

from agls.config import ConfigInputs, read
from agls.engine.vocabulary import Text
from agls.features.families.table import FAMILIES, family_of
from agls.workspace.editor import NoEditor
from agls.world import open_world
from support.model_server import ModelServer, Reply

EDITS = {"edit_file", "write_file", "apply_patch"}


async def first_request(folder: Path, model: str, more: str = "") -> tuple[set[str], str]:
    """The tools that change files which a whole agls offers to this model, and its system prompt."""
    (folder / "workspace").mkdir()
    with ModelServer([Reply("hi")]) as server:
        config = f'model = "m"\n[models.m]\nbase_url = "{server.url}"\nmodel = "{model}"\n{more}\n'
        config += "[permissions]\nmode = 'allowAll'\n"  # nobody is there to be asked
        (folder / "config.toml").write_text(config)
        told = ConfigInputs(config_file=str(folder / "config.toml"), state_dir=str(folder / "state"))
        setup = read(told, str(folder / "workspace"), lambda root: True, {})
        async with open_world(setup, editor=NoEditor(), headless=False) as world:
            session = await world.sessions.create(str(folder / "workspace"))
            await session.finished((await session.prompt((Text("go"),))).run_id)
    body: Any = server.posts[0].body
    return {tool["function"]["name"] for tool in body["tools"]} & EDITS, body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("model", "tools", "told"),
    [
        ("gpt-5.2-codex", {"write_file", "apply_patch"}, "Change files with apply_patch"),
        ("openai/o4-mini", {"write_file", "apply_patch"}, "Change files with apply_patch"),
        ("anthropic/claude-sonnet-5", EDITS, "Change text with edit_file"),
        ("qwen3-coder:30b", EDITS, "Change text with edit_file"),
        ("llama3.3:70b", {"edit_file", "write_file"}, ""),
        ("a-model-that-nobody-knows", EDITS, ""),
    ],
)
async def test_family_of_the_model_chooses_tools_and_words(
    tmp_path: Path, model: str, tools: set[str], told: str
) -> None:
    offered, prompt = await first_request(tmp_path, model)
    assert offered == tools
    assert ("# Changing files" in prompt) == bool(told)
    assert told in prompt


async def test_setting_chooses_the_family_of_every_model(tmp_path: Path) -> None:
    offered, prompt = await first_request(tmp_path, "gpt-5", '[families]\nuse = "neutral"')
    assert (offered, "# Changing files" in prompt) == (EDITS, False)


async def test_prompt_of_the_users_own_has_no_words_of_the_family(tmp_path: Path) -> None:
    _, prompt = await first_request(tmp_path, "gpt-5", '[instructions]\noverride = "Mine."')
    assert prompt == "Mine."


async def test_model_with_a_small_context_keeps_the_few_tools_of_its_own(tmp_path: Path) -> None:
    offered, _ = await first_request(tmp_path, "gpt-oss:20b", "context_window = 8192")
    assert offered == {"edit_file", "write_file"}


@pytest.mark.parametrize("name", ["", "test-model", "scripted", "command-r", "nova-pro"])
def test_unknown_name_is_neutral(name: str) -> None:
    assert family_of(name).name == "neutral"


def test_table_ends_with_the_neutral_family() -> None:
    assert [family.name for family in FAMILIES] == ["patch", "replace", "simple", "neutral"]
