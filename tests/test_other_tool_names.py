"""The table of the names that our tools have in other products."""

from agls.order import TOOLS
from agls.other_tool_names import OTHER_TOOL_NAMES
from agls.prompt_files.agent_tools import ALIASES


def test_every_name_stands_for_one_tool_that_exists() -> None:
    assert OTHER_TOOL_NAMES.keys() <= TOOLS
    assert {tool for tools in ALIASES.values() for tool in tools} <= TOOLS
    words = [word for row in OTHER_TOOL_NAMES.values() for word in f"{row.called} {row.named}".split()]
    assert len(words) == len(set(words)), "a name stands for two tools"


def test_file_of_an_agent_that_names_one_edit_means_all_of_them() -> None:
    assert (
        ALIASES["multiedit"] == ALIASES["edit"] == ("edit_file", "multi_edit", "apply_patch", "edit_notebook")
    )
    assert ALIASES["cat"] == ("read_file",)
