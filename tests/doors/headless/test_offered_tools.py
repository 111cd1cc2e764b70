"""What cannot run because nobody can allow it is not offered to the model."""

import pytest

from doors.headless.conftest import Agls
from support.model_server import ModelServer, Reply

CHANGING = {"shell", "write_file", "edit_file"}
WRITING = CHANGING - {"shell"}


def request_of(agls: Agls, *arguments: str, more: str = "") -> tuple[dict[str, str], str]:
    """The tools that the model was offered, with their descriptions, and the system prompt."""
    with ModelServer([Reply("Done.")]) as server:
        agls.configure(f'model = "m"\n{more}\n[models.m]\nbase_url = "{server.url}"\n')
        assert agls.run("run", "Go.", *arguments).code == 0
        body = server.posts[0].body
    tools = {tool["function"]["name"]: tool["function"]["description"] for tool in body["tools"]}
    return tools, body["messages"][0]["content"]


@pytest.mark.parametrize(
    ("mode", "missing"),
    [("ask", WRITING), ("plan", WRITING), ("acceptEdits", set[str]()), ("allowAll", set[str]())],
)
def test_tools_that_would_always_be_refused_are_not_offered(agls: Agls, mode: str, missing: set[str]) -> None:
    offered, system = request_of(agls, "--mode", mode)
    assert offered.keys() & CHANGING == CHANGING - missing
    assert {"read_file", "grep", "shell_task"} <= offered.keys()
    assert ("Nobody can be asked for permission here" in system) == (mode != "allowAll")
    assert all(name in system for name in missing)
    assert ("only read in the workspace" in offered["shell"]) == (mode != "allowAll")


def test_tool_that_rules_allow_something_says_what(agls: Agls) -> None:
    rules = '[permissions]\nallow = ["shell(npm test *)"]'
    offered, system = request_of(agls, "--mode", "ask", more=rules)
    assert offered["shell"].endswith("or is allowed by shell(npm test *).")
    assert "write_file" not in offered
    assert "these tools are not available" in system
    assert " shell," not in system.partition("these tools are not available:")[2]
