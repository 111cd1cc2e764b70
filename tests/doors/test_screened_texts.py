"""Hooks see every text that a user gives before it is kept, through whatever door and method it comes."""

import json
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from agls.library import Agent, Conversation, PromptRefused
from doors.headless.conftest import SCRIPTED, Agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(50), pytest.mark.timeout(300)]
SECRET, REFUSAL = "the secret", "refused the prompt, and it is not kept"
PROGRAM = "import sys\nif 'secret' in sys.stdin.read(): sys.exit(2)\nprint('in a hurry')"
WAITING = {"text": "", "calls": [{"name": "shell", "arguments": {"command": "sleep 60"}}]}
EMBEDDED = [{"type": "text", "text": "see"}, {"type": "resource", "uri": "notes:", "text": SECRET}]


def hooks(folder: Path) -> str:
    """Settings with a hook that refuses what has the word in it, and adds its own words to all else."""
    program = folder / "screen.py"
    program.write_text(PROGRAM)
    command = json.dumps(f"{sys.executable} {program}")
    return f'\n[[hooks.handlers]]\nevent = "UserPromptSubmit"\nname = "dlp"\ncommand = {command}\n'


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    config = script(tmp_path, turns(WAITING, "Done."), *[turns("Done.")] * 9)
    config.write_text(f'{config.read_text()}\n[permissions]\nmode = "allowAll"\n{hooks(tmp_path)}')
    with Wire(tmp_path, config, inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        yield wire


def refused(wire: Wire, method: str, params: Mapping[str, Any]) -> None:
    assert REFUSAL in wire.ask(method, params)["error"]["message"]


def test_every_method_of_the_protocol_refuses_what_a_hook_refuses(wire: Wire) -> None:
    session = {"sessionId": wire.session()}
    for text in (SECRET, EMBEDDED):
        for expand in (True, False):
            refused(wire, "agent/run", {**session, "input": text, "expand": expand})
    wire.call("agent/run", {**session, "input": "go"})
    wire.until(lambda message: "sleep 60" in json.dumps(message))
    queued = wire.call("agent/run", {**session, "input": "then", "admission": "queue"})
    refused(wire, "agent/run", {**session, "input": SECRET, "admission": "queue"})
    refused(wire, "agent/run", {**session, "input": SECRET, "admission": "steer"})
    for expand in (True, False):
        refused(wire, "agent/steer", {**session, "input": SECRET, "expand": expand})
    change = {**session, "op": "replace", "itemId": queued["itemId"]}
    refused(wire, "agent/queue", {**change, "input": SECRET})
    refused(wire, "agent/action/invoke", {**session, "name": "btw", "input": {"question": SECRET}})
    refused(wire, "agent/run", {**session, "input": f"/btw {SECRET}", "expand": True})
    refused(
        wire, "agent/action/invoke", {**session, "name": "memory", "input": {"do": "add", "text": SECRET}}
    )
    refused(wire, "agent/action/invoke", {**session, "name": "init", "input": {"words": SECRET}})
    (waiting,) = wire.call("agent/queue", {**change, "input": "then this"})["queue"]
    assert "in a hurry" in json.dumps(waiting), "and what it adds goes with a message that it lets pass"
    assert wire.call("agent/steer", {**session, "input": "a hint", "clientKey": "k"})["outcome"] == "injected"
    assert wire.call("agent/steer", {**session, "input": "a hint", "clientKey": "k"})["outcome"] == "injected"
    wire.call("agent/cancel", {**session, "queued": "drop"})
    wire.event("sessionState", state="idle")
    assert SECRET not in json.dumps(wire.history(session["sessionId"]))


@pytest.mark.parametrize(
    ("arguments", "piped"),
    [
        (("run", SECRET), ""),
        (("run", "--no-expand", SECRET), ""),
        (("run", "look at this"), SECRET),
        (("run", f"/btw {SECRET}"), ""),
        (("run", f"/init {SECRET}"), ""),
        (("memory", "add", SECRET), ""),
    ],
)
def test_command_line_refuses_what_a_hook_refuses(
    tmp_path: Path, arguments: tuple[str, ...], piped: str
) -> None:
    agls = Agls(tmp_path)
    agls.configure(SCRIPTED + hooks(tmp_path))
    agls.script({"text": "Done."})
    done = agls.run(*arguments, stdin=piped)
    assert done.code == 1, done
    assert REFUSAL in done.err + done.out
    assert agls.sessions() == []
    assert agls.run("run", "--no-expand", "a prompt").code == 0


async def test_library_refuses_what_a_hook_refuses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    play = tmp_path / "play.json"
    play.write_text(json.dumps({"prompts": [{"turns": [{"text": "Done."}]}]}))
    settings = {"models": {"m": {"dialect": "scripted", "script": str(play)}}}
    (tmp_path / "screen.py").write_text(PROGRAM)
    hook = {"event": "UserPromptSubmit", "command": f"{sys.executable} {tmp_path}/screen.py"}
    (tmp_path / "here").mkdir()
    async with Agent(tmp_path / "here", model="m", hooks={"handlers": [hook]}, **settings) as agent:
        conversation: Conversation = await agent.session()
        with pytest.raises(PromptRefused, match=REFUSAL):
            await conversation.run(SECRET)
        with pytest.raises(PromptRefused, match=REFUSAL):
            await conversation.steer(SECRET)
        with pytest.raises(PromptRefused, match=REFUSAL):
            await conversation.act("btw", question=SECRET)
        with pytest.raises(PromptRefused, match=REFUSAL):
            await conversation.act("init", words=SECRET)
        assert not conversation.state.transcript
        assert (await conversation.run("a prompt")).stop.reason == "end_turn"
        assert "in a hurry" in str(conversation.state.transcript[0])
