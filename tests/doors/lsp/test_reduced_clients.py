"""Clients that can do only a part of what editors can: nothing else is asked of them (protocol#plain-mode).

Whatever is missing, each run comes to its end and every request has its answer; that nothing was called, told
or written that the client did not advertise is checked of all that was said (`Wire.check`).
"""

import random
import re
from typing import Any

import pytest

from agls.json_values import is_object
from support.advertised import NEEDS
from support.rich_run import call
from support.wire import AGENT, Message, Wire, script, turns

from .conftest import Serve
from .plain_client import PlainClient, block

TEXT = "one = 1 😋\ntwo = 2\n"
TOOL: Message = {"name": "theirs", "description": "It looks.", "inputSchema": {"type": "object"}}
FULL: Message = {
    **AGENT,
    "askUser": {"form": {}, "url": {}},
    "edits": {"confirm": {}, "save": {}, "fileEvents": {}},
    "followAlong": {},
    "diagnostics": {},
    "codeQuery": {},
    "notebooks": {},
    "tools": [TOOL],
}
WORK = turns(
    {"calls": [call("read_file", path="code.py"), call("ask_user", question="Which?", choices=["a", "b"])]},
    {"calls": [call("edit_file", path="code.py", old_text="two = 2", new_text="two = 22")]},
    {"calls": [call("code_intelligence", operation="hover", path="code.py", symbol="two")]},
    {"calls": [call("shell", command="echo three >> code.py"), call("theirs")]},
    {"calls": [call("write_file", path="new.txt", content="new\n"), call("read_file", path="code.py")]},
    {"calls": [call("read_file", path="n.ipynb")]},
    {"calls": [call("edit_notebook", path="n.ipynb", cell=0, source="two = 2")]},
    "All done.",
)
NOTEBOOK = (
    '{"cells": [{"cell_type": "raw", "metadata": {}, "source": "one"}], "metadata": {}, "nbformat": 4}\n'
)
SHOWN: Message = {"notebook": {"version": "1", "cells": [{"type": "raw", "source": "one"}]}}
COMMANDS = ("agls.sessions", "agls.changes", "agls.cancel", "agls.transcript")
TAKES_BY_COMMAND = re.compile(r"agls\.reject \((\w+)\)")
FOR_OTHERS = {  # what has a better form here, or comes only with more than this
    "window/showMessageRequest", "window/workDoneProgress/create", "workspace/configuration",
    "workspace/textDocumentContent/refresh", "agent/secret", "agent/languageModel/ask",
}  # fmt: skip


def reduced(value: Any, chance: random.Random, share: float) -> Any:
    """The value without some of its members, however deep."""
    if not is_object(value):
        return value
    return {name: reduced(each, chance, share) for name, each in value.items() if chance.random() > share}


def everything(wire: Wire, capabilities: Message) -> set[str]:
    """A client with these capabilities does all there is to do; gives the methods that were called on it."""
    client = PlainClient(wire, "", TEXT, {"capabilities": capabilities, "clientInfo": {"name": "reduced"}})
    client.choice = {"title": "Allow once"}
    wire.answers |= {
        "agent/requestPermission": allowed,
        "agent/askUser": lambda params: {"outcome": "accept", "content": {}},
        "agent/callTool": lambda params: {"output": "seen"},
        "agent/saveDocuments": lambda params: {"saved": []},
        "agent/diagnostics": lambda params: {"files": []},
        "agent/codeQuery": lambda params: {"answered": True},
        "agent/notebook": lambda params: SHOWN,
        "agent/editNotebook": lambda params: SHOWN,
        "workspace/textDocumentContent/refresh": lambda params: None,
    }

    def approve(message: Message) -> None:
        if message.get("method") == "window/showMessage" and (
            asked := TAKES_BY_COMMAND.search(message["params"]["message"])
        ):
            order = {"command": "agls.approve", "arguments": [asked[1]]}
            wire.post("workspace/executeCommand", order)

    wire.heard = approve
    session = wire.session()
    ended = wire.run(session, workDoneToken="mine")
    assert ended["stopReason"] == "endTurn"
    order: Message = {"command": "agls.run", "arguments": ["again, see @diagnostics"]}
    assert "result" in wire.ask("workspace/executeCommand", order)
    for command in COMMANDS:
        wire.call("workspace/executeCommand", {"command": command, "arguments": [{"sessionId": session}]})
    client.actions(0, 2)
    wire.call("agent/session/close", {"sessionId": session})
    return {message["method"] for message in wire.messages if "method" in message}


def allowed(params: Message) -> Message:
    """Yes, to all of it."""
    hunks = {"hunks": [hunk["hunkId"] for hunk in params["hunks"]]} if "hunks" in params else {}
    option = next(each for each in params["options"] if each["decision"] == "allow")
    return {"outcome": "selected", "optionId": option["optionId"], **hunks}


def serving(serve: Serve) -> Wire:
    """A server that has its editor save before a command."""
    wire = serve(WORK, "again")
    (wire.workspace / "n.ipynb").write_text(NOTEBOOK)
    config = wire.workspace.parent / "config.toml"
    config.write_text(config.read_text() + '\n[shell]\nsave_before_commands = "all"\n')
    return wire


def all_of_it() -> Message:
    """What VS Code says, and what our own extension adds."""
    return {**block("vscode")["capabilities"], "experimental": {"agent": FULL}}


def test_a_client_that_can_do_everything_is_asked_for_everything(serve: Serve) -> None:
    called = everything(serving(serve), all_of_it())
    assert NEEDS.keys() - called == FOR_OTHERS, "else nothing is proved by those that lack it"


@pytest.mark.item(26)
@pytest.mark.parametrize("seed", range(2))
def test_client_gets_no_request_for_a_capability_it_lacks(serve: Serve, seed: int) -> None:
    chance = random.Random(seed)
    everything(serving(serve), reduced(all_of_it(), chance, chance.choice([0.1, 0.3, 0.6])))


@pytest.mark.slow
@pytest.mark.timeout(1_800)
def test_no_client_of_many_gets_a_request_for_a_capability_it_lacks(tmp_path: Any) -> None:
    for seed in range(2, 100):
        chance, folder = random.Random(seed), tmp_path / f"{seed}"
        folder.mkdir()
        with Wire(folder, script(folder, WORK, turns("again"))) as wire:
            everything(wire, reduced(all_of_it(), chance, chance.random()))
