"""Inputs of files with MCP servers at a terminal, and where nobody can be asked."""

import json
import sys
from pathlib import Path

import pytest

from doors.headless.conftest import Agls
from doors.headless.test_terminal import FakeTerminal, begin, terminal
from support.rich_run import call

__all__ = ["terminal"]
PROGRAM = Path(__file__).parents[2] / "support" / "mcp_program.py"
SECRET = "open sesame 2"
INPUT = {"id": "shop-token", "type": "promptString", "description": "Token of the shop", "password": True}


@pytest.fixture
def got(agls: Agls) -> Path:
    """The file into which a server of the folder writes what it was given for an input."""
    file = agls.home / "got"
    line = f'printf %s "$TOKEN" >> {file}; exec {sys.executable} {PROGRAM} {agls.home}'
    server = {"command": "sh", "args": ["-c", line], "env": {"TOKEN": "${input:shop-token}"}}
    (agls.workspace / ".vscode").mkdir()
    content = {"inputs": [INPUT], "servers": {"shop": server}}
    (agls.workspace / ".vscode/mcp.json").write_text(json.dumps(content))
    return file


def test_missing_input_is_named_with_the_command_that_gives_and_the_one_that_forgets_it(
    agls: Agls, got: Path
) -> None:
    agls.script({"text": "done"})
    done = agls.run("run", "--trust", "--output", "jsonl", "go")
    (notice,) = [each["data"]["text"] for each in done.events if each.get("type") == "notice"]
    assert "nobody gave the input shop-token (Token of the shop)" in notice
    assert "agls mcp input shop-token" in notice
    assert "the variable AGLS_INPUT_SHOP_TOKEN" in notice
    listed = agls.run("mcp", "inputs", "--trust").out
    assert "shop-token (Token of the shop) of .vscode/mcp.json, for shop: nobody gave it" in listed
    for line in ("/doctor", "/mcp"):
        shown = agls.run("run", "--trust", line).out
        assert "nobody gave the input shop-token (Token of the shop): /mcp.input shop-token" in shown
    refused = agls.run("run", "--trust", "See @shop:notes://today")
    assert refused.code != 0
    assert "@shop:notes://today cannot be attached: nobody gave the input shop-token" in refused.err
    given = agls.run("mcp", "input", "shop-token", "--trust", stdin=f"{SECRET}\n")
    assert given.code == 0
    assert "kept with your keys" in given.out
    assert json.loads(agls.run("mcp", "inputs", "--trust", "--json").out)["inputs"][0]["status"] == "given"
    assert "you did not consent to it" in agls.run("mcp", "list", "--trust").out
    assert SECRET in (agls.state / "keys.json").read_text()
    assert "is forgotten" in agls.run("mcp", "forget", "shop-token", "--trust").out
    assert SECRET not in (agls.state / "keys.json").read_text()
    assert "nobody gave it" in agls.run("mcp", "inputs", "--trust").out
    wrong = agls.run("mcp", "input", "shop", "--trust", stdin="x\n")
    assert wrong.code == 2
    assert "There are: shop-token" in wrong.err
    assert not got.exists()


def test_secret_input_is_typed_unseen_during_a_run(agls: Agls, got: Path, terminal: FakeTerminal) -> None:
    agls.script({"calls": [call("mcp__shop__echo", number=1)]}, {"text": "All done."})
    process = begin(agls, terminal, "--trust", "--mode", "allowAll")
    terminal.wait_for("Use the server shop")
    terminal.wait_for("Your answer")
    terminal.type("y\n")
    terminal.wait_for("Token of the shop: ")
    terminal.type(f"{SECRET}\n")
    terminal.wait_for("All done.")
    assert process.wait() == 0
    assert SECRET not in terminal.rest()
    assert got.read_text() == SECRET
    kept = [path for path in agls.home.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert {path.name for path in kept} == {"got", "keys.json"}
