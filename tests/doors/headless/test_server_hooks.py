"""Hooks that are a tool of an MCP server, in the real program."""

import json
from collections.abc import Iterator
from typing import Any, cast

import pytest

from doors.headless.conftest import Agls, Done
from doors.headless.test_mcp import Small, items
from support.rich_run import call

WRITE = call("write_file", path="a.txt", content="one\n")
REASON = '"permissionDecisionReason": "${tool_input.file_path}"'
SAY = f'{{"hookSpecificOutput": {{"permissionDecision": "%s", {REASON}}}}}'


@pytest.fixture
def small(agls: Agls) -> Iterator[Small]:
    made = Small(agls)
    tools = [{"name": name, "inputSchema": {"type": "object"}} for name in ("say", "silent", "result")]
    (made.folder("small") / "tools.json").write_text(json.dumps(tools))
    yield made


def inline(value: object) -> str:
    """Return a value as TOML has it in a line."""
    match value:
        case dict():
            members = cast("dict[str, object]", value)
            return "{" + ", ".join(f"{name} = {inline(each)}" for name, each in members.items()) + "}"
        case list():
            return "[" + ", ".join(map(inline, cast("list[object]", value))) + "]"
        case _:
            return json.dumps(value)


def hooked(small: Small, tool: str, given: dict[str, Any], more: str = "") -> None:
    """Configure a server, and a hook that is a tool of it."""
    small.servers += (
        '[[hooks.handlers]]\nevent = "PreToolUse"\nmatcher = "Write"\nserver = "small"\n'
        f'tool = "{tool}"\ninput = {inline(given)}\n{more}\n'
    )
    small.add("small")


def written(small: Small) -> bool:
    return (small.agls.workspace / "a.txt").exists()


def output(done: Done) -> str:
    return items(done)[0]["output"]


@pytest.mark.row(50)
def test_tool_of_a_server_refuses_a_call_by_what_it_was_given_of_it(small: Small) -> None:
    hooked(small, "say", {"words": SAY % "deny"})
    done = small.run(WRITE)
    assert output(done) == f"Not run: the hook small: say refused it. {small.agls.workspace}/a.txt"
    assert not written(small)
    assert len(small.noted("small")) == 1, "one process for the run and its hooks"
    tried = small.agls.run("hooks", "test", "PreToolUse", "Write").out
    assert "`small: say` (user): ran" in tried
    assert "agls would refuse the call" in tried


def test_word_of_a_server_allows_nothing(small: Small) -> None:
    hooked(small, "say", {"words": SAY % "allow"})
    done = small.run(WRITE, mode="ask")
    assert items(done)[0]["status"] == "rejected"
    assert not written(small)


FAILED = {"result": {"content": [{"type": "text", "text": "no"}], "isError": True}}


@pytest.mark.parametrize(
    ("tool", "given", "more", "problem"),
    [
        ("silent", {}, "timeout = 0.5", "its tool took longer than 0.5 s"),
        ("result", FAILED, "", "its tool failed: no"),
        ("say", {"words": "{"}, "", "its output is no JSON"),
        (
            "say",
            {"words": "x"},
            '[permissions]\ndeny = ["mcp__small"]',
            "is not called. The rule deny mcp__small forbids it.",
        ),
    ],
)
@pytest.mark.parametrize("policy", ["closed", "open"])
def test_failure_of_a_servers_tool_follows_the_policy_of_the_hook(
    small: Small, tool: str, given: dict[str, Any], more: str, problem: str, policy: str
) -> None:
    hooked(small, tool, given, f'on_failure = "{policy}"\n{more}')
    done = small.run(WRITE)
    assert problem in json.dumps(done.events)
    assert written(small) is (policy == "open")


def test_hook_outside_of_runs_or_without_a_tool_is_named_with_what_is_wrong(small: Small) -> None:
    small.servers += '[[hooks.handlers]]\nevent = "SessionEnd"\nserver = "small"\ntool = "say"\n'
    small.add("small")
    assert "servers are called in runs only, and SessionEnd is not in one" in small.run(WRITE).out
    small.servers = '[[hooks.handlers]]\nevent = "Stop"\nserver = "small"\n'
    small.add("small")
    assert "needs both: server and tool" in small.run(WRITE).out
