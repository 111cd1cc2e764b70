"""Inputs of files with MCP servers (`${input:ID}`): asked for once, secrets in no record."""

import json
import sys
from pathlib import Path

import pytest

from support.rich_run import call
from support.wire import AGENT, Message, Wire, script, turns

PROGRAM = Path(__file__).parents[2] / "support" / "mcp_program.py"
SERVE = [sys.executable, "-m", "agls", "serve", "--stdio"]
SECRET = "open sesame 1"
INPUTS = [
    {"id": "token", "type": "promptString", "description": "Token of the shop", "password": True},
    {"id": "place", "type": "pickString", "options": ["east", {"label": "The west", "value": "west"}]},
    {"id": "mode", "type": "promptString", "default": "fast"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A workspace with a server that needs all inputs, and writes what it was given to a file."""
    folder = tmp_path / "workspace"
    (folder / ".vscode").mkdir(parents=True)
    line = f'printf "%s\\n" "$TOKEN $1 $2" >> {tmp_path}/got; exec {sys.executable} {PROGRAM} {tmp_path}'
    server = {
        "command": "sh",
        "args": ["-c", line, "sh", "${input:place}", "${input:mode}"],
        "env": {"TOKEN": "${input:token}"},
    }
    file = {"inputs": INPUTS, "servers": {"mine": server}}
    (folder / ".vscode/mcp.json").write_text(json.dumps(file))
    return folder


def opened(tmp_path: Path, answers: dict[str, str], asked: list[Message], *options: str) -> Wire:
    """A client whose user allows everything, and gives these answers."""
    wire = Wire(tmp_path, tmp_path / "config.toml", [*SERVE, *options])

    def answer(params: Message) -> Message:
        asked.append(params)
        (name,) = params["schema"]["properties"]
        return (
            {"outcome": "accept", "content": {name: answers[name]}}
            if name in answers
            else {"outcome": "decline"}
        )

    wire.answers["agent/askUser"] = answer
    wire.answers["agent/requestPermission"] = lambda params: {"outcome": "selected", "optionId": "always"}
    return wire


def test_server_that_lacks_an_input_is_completed_by_what_to_type_first(tmp_path: Path, folder: Path) -> None:
    script(tmp_path, turns("done"))
    with opened(tmp_path, {}, []) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = {"sessionId": wire.session()}
        (named,) = [
            item
            for item in wire.call("agent/complete", {**session, "text": "@mi", "cursor": 3})["items"]
            if item["label"] == "mine:"
        ]
        assert "nobody gave the input token" in named["detail"]
        (first,) = wire.call("agent/complete", {**session, "text": "@mine:a", "cursor": 7})["items"]
    assert (first["label"], first["insertText"]) == ("first: /mcp.input token", "a")


def test_client_is_shown_which_input_a_server_lacks_and_the_next_one_when_it_was_given(
    tmp_path: Path, folder: Path
) -> None:
    script(tmp_path, turns("done"))
    answers: dict[str, str] = {}
    with opened(tmp_path, answers, []) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        session = wire.session()
        wire.run(session)
        (shown,) = wire.event("mcpStatus")["data"]["servers"]
        assert (shown["name"], shown["status"], shown["needsInput"]) == ("mine", "stopped", "token")
        (listed,) = wire.call("agent/action/invoke", {"sessionId": session, "name": "mcp", "input": {}})[
            "data"
        ]["servers"]
        assert listed["needsInput"] == "token"
        for name, value, missing in (("token", SECRET, "place"), ("place", "The west", None)):
            answers[name] = value
            give = {"sessionId": session, "name": "mcp.input", "input": {"name": name}}
            (now,) = wire.call("agent/action/invoke", give)["data"]["servers"]
            assert (now["name"], now["status"], now.get("needsInput")) == ("mine", "stopped", missing)
        assert "message" not in now


def test_inputs_are_asked_for_once_and_a_secret_is_in_no_file_but_that_of_keys(
    tmp_path: Path, folder: Path
) -> None:
    script(tmp_path, *[turns({"calls": [call("mcp__mine__echo", number=1)]}, "done")] * 3)
    asked: list[Message] = []
    answers = {"token": SECRET, "place": "The west", "mode": "slow"}
    dump = tmp_path / "dump"
    for _ in range(2):
        with opened(tmp_path, answers, asked, "--wire-dump", str(dump)) as wire:
            wire.initialize(AGENT, initializationOptions={"trusted": True})
            wire.run(wire.session(), options={"mode": "allowAll"}, chosenBy="user")
    names = [next(iter(each["schema"]["properties"])) for each in asked]
    assert names == ["token", "place", "mode"]
    token, place, mode = (each["schema"]["properties"][name] for name, each in zip(names, asked, strict=True))
    assert (token["title"], token["format"]) == ("Token of the shop", "password")
    assert place["enum"] == ["east", "The west"]
    assert "fast" in mode["title"]
    assert (tmp_path / "got").read_text() == f"{SECRET} west slow\n" * 2
    kept = [path for path in tmp_path.rglob("*") if path.is_file() and SECRET.encode() in path.read_bytes()]
    assert {path.name for path in kept} <= {"got", "keys.json"}
    assert "[secret]" in dump.read_text()
