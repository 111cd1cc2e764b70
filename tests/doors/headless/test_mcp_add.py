"""`agls mcp add` and `agls mcp remove`: servers written into files, checked before, and used from there."""

import json
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from doors.headless.conftest import Agls

PROGRAM = str(Path(__file__).parents[2] / "support" / "mcp_program.py")


def written(agls: Agls) -> dict[str, Any]:
    """Return the servers of the user's config file."""
    servers: dict[str, Any] = tomllib.loads(agls.config_file.read_text()).get("mcp", {}).get("servers", {})
    return servers


def test_program_that_is_added_is_started_and_has_its_tools_until_it_is_removed(agls: Agls) -> None:
    agls.configure(f"# mine\n{agls.config_file.read_text()}")
    folder = agls.home / "server"
    folder.mkdir()
    done = agls.run("mcp", "add", "small", "-e", "LEVEL=a b", "--", sys.executable, PROGRAM, str(folder))
    assert done.code == 0, done.err
    assert done.err.endswith("See what it offers: agls mcp tools small\n")
    args = [PROGRAM, str(folder)]
    assert written(agls) == {"small": {"command": sys.executable, "args": args, "env": {"LEVEL": "a b"}}}
    assert agls.config_file.read_text().startswith("# mine\n")
    tools = agls.run("mcp", "tools", "small", "--json")
    assert tools.whole["tools"], tools.err
    assert agls.run("mcp", "remove", "small").code == 0
    assert written(agls) == {}


@pytest.mark.parametrize(
    ("words", "entry"),
    [
        (["https://x.example/mcp"], {"type": "http", "url": "https://x.example/mcp"}),
        (
            ["-t", "sse", "https://x.example/s", "-H", "Authorization: Bearer ${KEY}"],
            {"type": "sse", "url": "https://x.example/s", "headers": {"Authorization": "Bearer ${KEY}"}},
        ),
        (["npx", "some@latest"], {"command": "npx", "args": ["some@latest"]}),
        (["--", "sh", "-c", "a 'b' -- c"], {"command": "sh", "args": ["-c", "a 'b' -- c"]}),
        (
            ['{"type": "streamable-http", "url": "https://x.example"}'],
            {"type": "http", "url": "https://x.example"},
        ),
    ],
)
def test_server_is_written_as_other_agents_spell_it(
    agls: Agls, words: list[str], entry: dict[str, Any]
) -> None:
    done = agls.run("mcp", "add", "x", *words)
    assert done.code == 0, done.err
    assert "stands there as it is" not in done.err
    assert written(agls) == {"x": entry}


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["x"], "Say what it is"),
        (["x", "-t", "stdio", "https://x.example"], "x: a server of the type stdio has a command"),
        (["x", "https://x.example", "more"], "'more' is one word too many"),
        (["x", "-e", "A", "--", "run"], "--env needs NAME=VALUE, not 'A'"),
        (["x", "-e", "A=b", "https://x.example"], "--env is for a program"),
        (["x", "-H", "A: b", "--", "run"], "--header is for an address"),
        (["a/b", "--", "run"], "'a/b' cannot be the name of a server"),
        (["x", "{]"], "this is no JSON object"),
        (["x", '{"command": "a", "headersHelper": "b"}'], "not 'headersHelper'"),
        (["there", "--", "run"], "has a server 'there' already"),
    ],
)
def test_server_that_cannot_be_is_refused_and_nothing_is_written(
    agls: Agls, words: list[str], reason: str
) -> None:
    agls.configure(f'{agls.config_file.read_text()}\n[mcp.servers.there]\ncommand = "a"\n')
    before = agls.config_file.read_text()
    done = agls.run("mcp", "add", *words)
    assert done.code == 2
    assert reason in done.err
    assert agls.config_file.read_text() == before


def test_server_of_the_folder_is_written_only_where_it_is_trusted_and_needs_consent_as_any(
    agls: Agls,
) -> None:
    file = agls.workspace / ".mcp.json"
    file.write_text('{"other": 1, "mcpServers": {"first": {"command": "a"}}}')
    refused = agls.run("mcp", "add", "x", "-s", "project", "--", "run")
    assert refused.code == 2
    assert "Trust it first: agls trust" in refused.err
    agls.run("trust", str(agls.workspace))
    done = agls.run("mcp", "add", "x", "-s", "project", "-e", "API_KEY=abc", "--", "run")
    assert done.code == 0, done.err
    assert "${API_KEY}" in done.err, "a key in a shared file is told"
    servers = {"first": {"command": "a"}, "x": {"command": "run", "env": {"API_KEY": "abc"}}}
    assert json.loads(file.read_text()) == {"other": 1, "mcpServers": servers}
    assert written(agls) == {}
    assert "you did not consent" in agls.run("mcp", "list").out
    assert agls.run("mcp", "remove", "x").code == 0
    assert json.loads(file.read_text())["mcpServers"] == {"first": {"command": "a"}}


def test_name_in_both_files_needs_the_scope_and_an_unknown_one_is_told(agls: Agls) -> None:
    agls.run("trust", str(agls.workspace))
    for scope in ("user", "project"):
        assert agls.run("mcp", "add", "x", "--scope", scope, "--", "run").code == 0
    which = agls.run("mcp", "remove", "x")
    assert which.code == 2
    assert "--scope user, or --scope project" in which.err
    assert agls.run("mcp", "remove", "x", "--scope", "user", "--json").whole["name"] == "x"
    assert written(agls) == {}
    assert agls.run("mcp", "remove", "x").code == 0
    gone = agls.run("mcp", "remove", "x")
    assert gone.code == 2
    assert "no server 'x'" in gone.err


def test_file_of_the_folder_that_has_comments_or_leads_out_is_left_alone(agls: Agls) -> None:
    agls.run("trust", str(agls.workspace))
    file = agls.workspace / ".mcp.json"
    file.write_text('{"mcpServers": {}} // mine')
    done = agls.run("mcp", "add", "x", "-s", "project", "--", "run")
    assert done.code == 2
    assert "change it by hand" in done.err
    file.unlink()
    outside = agls.home / "outside.json"
    outside.write_text("{}")
    file.symlink_to(outside)
    done = agls.run("mcp", "add", "x", "-s", "project", "--", "run")
    assert done.code == 2
    assert "leads out of the folder" in done.err
    assert outside.read_text() == "{}"
