"""The list of the tools that wait, what a search finds in it, and which tools wait."""

from typing import Any

import pytest

from agls.engine.ports import ToolSpec
from agls.features.tools.catalogue import first_sentence, listed, search
from agls.features.tools.settings import Settings
from agls.features.tools.waiting import waiting


def spec(name: str, description: str = "", load: Any = "search") -> ToolSpec:
    """A tool that waits."""
    schema = {"type": "object", "properties": {"newName": {"type": "string"}}}
    return ToolSpec(name, description, schema, frozenset(), load=load)


MANY = [
    spec("find_references", "Find all uses of a symbol. It asks the editor."),
    spec("rename_symbol", "Rename a symbol everywhere."),
    spec("mcp__weather__forecast", "Tell what the weather will be."),
]


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("rename", ["rename_symbol"]),
        ("symbols", ["rename_symbol", "find_references"]),
        ("weather tomorrow", ["mcp__weather__forecast"]),
        ("mcp__weather__forecast, rename_symbol", ["mcp__weather__forecast", "rename_symbol"]),
        ("a b c", []),
    ],
)
def test_search_ranks_names_before_words(query: str, found: list[str]) -> None:
    assert [each.name for each in search(MANY, query, 2)] == found


@pytest.mark.parametrize(("query", "name"), [("todo list", "plan"), ("TodoWrite", "plan"), ("bash", "shell")])
def test_search_knows_the_names_of_other_products(query: str, name: str) -> None:
    tools = [
        spec("list_dir", "List what is in a folder."),
        spec("shell_task", "List the tasks that run, and end one."),
        spec("plan", "Keep your plan of this session."),
        spec("shell", "Run a command."),
        *MANY,
    ]
    assert [each.name for each in search(tools, query, 1)] == [name]


def test_list_of_waiting_tools_keeps_its_size() -> None:
    assert first_sentence(MANY[0]) == "Find all uses of a symbol."
    assert listed(MANY, 4_000).splitlines()[1] == "- rename_symbol: Rename a symbol everywhere."
    assert listed(MANY, 80) == "- find_references\n- rename_symbol\n- mcp__weather__forecast"
    assert listed(MANY, 40) == "- find_references\n- and 2 more"
    many = [spec(f"tool_{number}", "word " * 100) for number in range(10_000)]
    assert len(listed(many, 4_000)) <= 4_000


@pytest.mark.parametrize(
    ("load", "window", "names_of"),
    [
        ("all", 1_000, []),
        ("auto", None, ["seldom"]),
        ("auto", 1_000_000, ["seldom"]),
        ("auto", 100, ["seldom", "foreign"]),
        ("auto:99", 1_000, ["seldom"]),
        ("search", None, ["seldom", "foreign"]),
    ],
)
def test_setting_says_which_tools_wait(load: str, window: int | None, names_of: list[str]) -> None:
    specs = [spec("basic", load="always"), spec("seldom"), spec("foreign", load="auto")]
    assert [each.name for each in waiting(Settings(load=load), window, specs)] == names_of
