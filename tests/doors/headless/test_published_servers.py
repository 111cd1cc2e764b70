"""Servers that others published, where they are installed (by npm: `@modelcontextprotocol/server-…`)."""

import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.rich_run import call

EVERYTHING, FILES = "mcp-server-everything", "mcp-server-filesystem"
pytestmark = pytest.mark.timeout(300)


def installed(name: str) -> str:
    """Return the path of a server. Skips the test where there is none."""
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


def added(agls: Agls, name: str, *words: str) -> Sequence[str]:
    """Add a server as a user does. **Returns** the names of its tools."""
    agls.configure(SCRIPTED)
    made = agls.run("mcp", "add", name, "--", *words)
    assert made.code == 0, made.err
    listed = agls.run("mcp", "tools", name)
    assert listed.code == 0, listed.err
    return [line.split("`")[1] for line in listed.out.splitlines() if line.startswith("- `")]


@pytest.mark.row(61)
def test_published_server_is_added_listed_read_and_called(agls: Agls) -> None:
    tools = added(agls, "every", installed(EVERYTHING), "stdio")
    assert {"mcp__every__echo", "mcp__every__get-sum"} <= set(tools)
    adds = call("mcp__every__get-sum", a=2, b=3)
    lists = call("mcp__every__resources")
    agls.prompts([{"calls": [adds, lists]}, {"text": "done"}])
    done = agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go")
    items = [each["data"]["item"] for each in done.events if each.get("type") == "itemCompleted"]
    summed, resources = [item["output"] for item in items if item["kind"] == "toolCall"]
    assert "5" in summed
    assert "demo://resource" in resources


@pytest.mark.row(61)
def test_published_server_reads_a_file(agls: Agls) -> None:
    folder: Path = agls.workspace
    (folder / "note.txt").write_text("hello there\n")
    assert "mcp__files__read_text_file" in added(agls, "files", installed(FILES), str(folder))
    agls.prompts(
        [{"calls": [call("mcp__files__read_text_file", path=str(folder / "note.txt"))]}, {"text": "done"}]
    )
    assert "hello there" in agls.run("run", "--mode", "allowAll", "--output", "jsonl", "go").out
