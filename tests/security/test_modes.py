"""P2: a permission mode that lets things run unasked is chosen by a person, and not restored without one."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from agls.library import Agent
from support.model_server import ModelServer, Reply
from support.patience import wait_until
from support.wire import Message, Wire

from .attacker import House, call

pytestmark = pytest.mark.promise("P2")

WIDE = ["acceptEdits", "allowAll"]
UNTRUSTED = -33014
WRITE = call("write_file", path="pwned.txt", content="x")
TOUCH = call("shell", command="touch pwned.txt")


class Editor:
    """A client of the real server in a folder that is not its user's."""

    def __init__(self, folder: Path, wires: ExitStack, model: ModelServer) -> None:
        self._folder, self._wires = folder, wires
        self._config = folder / "config.toml"
        text = f'model = "m"\n[models.m]\ndialect = "chat"\nbase_url = "{model.url}"\nmodel = "x"\n'
        self._config.write_text(text + '[recovery]\nstart = "never"\n')

    def start(self, **options: Any) -> Wire:
        """A greeted server; `options` are its `initializationOptions`."""
        wire = self._wires.enter_context(Wire(self._folder, self._config))
        wire.initialize(initializationOptions=options)
        return wire


@pytest.fixture
def model() -> Iterator[ModelServer]:
    with ModelServer([Reply(calls=[WRITE]), Reply("Done.")] * 4) as server:
        yield server


@pytest.fixture
def editor(tmp_path: Path, model: ModelServer) -> Iterator[Editor]:
    with ExitStack() as wires:
        yield Editor(tmp_path, wires, model)


def new(wire: Wire, **more: Any) -> Message:
    return wire.ask("agent/session/new", {"cwd": wire.workspace.as_uri(), **more})


def refused(answer: Message) -> bool:
    """Whether this is the refusal, and says what to do."""
    error = answer.get("error", {"code": 0, "message": ""})
    return error["code"] == UNTRUSTED and "chosenBy" in error["message"] and "agls trust" in error["message"]


@pytest.mark.parametrize("mode", WIDE)
def test_wide_mode_in_an_untrusted_folder_is_refused_unless_a_person_chose_it(
    editor: Editor, mode: str
) -> None:
    wire = editor.start()
    assert refused(new(wire, options={"mode": mode}))
    session = wire.session()
    assert refused(wire.ask("agent/run", {"sessionId": session, "input": "go", "options": {"mode": mode}}))
    assert refused(wire.ask("agent/setOption", {"sessionId": session, "optionId": "mode", "value": mode}))
    odd = {"sessionId": session, "optionId": "mode", "value": mode, "chosenBy": "workspace"}
    assert wire.ask("agent/setOption", odd)["error"]["code"] == -32602
    asked = wire.post("agent/run", {"sessionId": session, "input": "go", "wait": True})
    question = wire.until(lambda m: m.get("method") == "agent/requestPermission")
    wire.send({"jsonrpc": "2.0", "id": question["id"], "result": {"outcome": "dismissed"}})
    wire.answer_of(asked)
    assert not (wire.workspace / "pwned.txt").exists()
    chosen = {"sessionId": session, "optionId": "mode", "value": mode, "chosenBy": "user"}
    assert wire.call("agent/setOption", chosen) == {"options": {"mode": mode}}
    wire.run(session)
    assert (wire.workspace / "pwned.txt").exists()


@pytest.mark.parametrize("mode", WIDE)
def test_wide_mode_in_the_settings_of_an_editor_holds_in_trusted_folders_only(
    editor: Editor, mode: str
) -> None:
    wire = editor.start(options={"mode": mode})
    assert refused(new(wire))
    settings = {"permissions": {"mode": mode, "allow": ["edit", "shell"]}}
    wire = editor.start(settings=settings)
    wire.answers["agent/requestPermission"] = lambda params: {"outcome": "dismissed"}
    wire.run(wire.session())
    assert not (wire.workspace / "pwned.txt").exists()
    wire = editor.start(trusted=True, options={"mode": mode})
    wire.run(wire.session(clientKey="trusted"))
    assert (wire.workspace / "pwned.txt").exists()


def test_any_client_may_choose_a_narrower_mode(editor: Editor) -> None:
    wire = editor.start(options={"mode": "plan"})
    assert new(wire)["result"]["options"] == {"mode": "plan"}


def test_plain_client_whose_user_types_the_command_chooses_the_mode(editor: Editor) -> None:
    wire = editor.start()
    session = wire.session()
    typed = {"command": "agls.setOption", "arguments": [{"sessionId": session, "assign": "mode=allowAll"}]}
    assert wire.call("workspace/executeCommand", typed) == {"options": {"mode": "allowAll"}}


def test_mode_of_a_session_is_not_restored_by_another_process(editor: Editor) -> None:
    wire = editor.start()
    session = wire.session(options={"mode": "allowAll"})
    wire.run(session)
    (wire.workspace / "pwned.txt").unlink()
    wire.process.kill()
    wire.process.wait()
    wire.unchecked = "it was killed"
    wire = editor.start()
    wire.answers["agent/requestPermission"] = lambda params: {"outcome": "dismissed"}
    known = wire.call("agent/resume", {"sessionId": session, "replay": "all"})
    assert known["snapshot"]["options"] == {}
    wire.run(session)
    assert not (wire.workspace / "pwned.txt").exists()
    told = [event["data"]["text"] for event in wire.events if event["type"] == "notice"]
    assert [text for text in told if text.startswith("The mode allowAll was chosen before")]


def test_mode_of_a_fork_is_chosen_anew(editor: Editor) -> None:
    wire = editor.start()
    session = wire.session(options={"mode": "allowAll"})
    fork = wire.call("agent/session/fork", {"sessionId": session})["sessionId"]
    known = wire.call("agent/resume", {"sessionId": fork, "replay": "all"})
    assert known["snapshot"]["options"] == {}


SLOW = call("shell", command="echo $PPID > pid; sleep 60")


def killed(house: House, server: ModelServer) -> str:
    """A run in allowAll whose process dies in a command; its session."""
    program = [sys.executable, "-P", "-m", "agls", "run", "go", "--base-url", server.url, "--model", "m"]
    process = subprocess.Popen(
        [*program, "--mode", "allowAll", "--output", "jsonl"],
        cwd=house.workspace,
        env=house.variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        text=True,
    )
    with process:
        assert process.stdout
        session = json.loads(process.stdout.readline())["sessionId"]
        wait_until((house.workspace / "pid").exists)
        process.send_signal(signal.SIGKILL)
    return session


def resumed(house: House, server: ModelServer, *arguments: str) -> subprocess.CompletedProcess[str]:
    return house.run("resume", *arguments, "--base-url", server.url, "--model", "m", "--output", "jsonl")


def test_killed_run_in_allow_all_is_resumed_in_the_configured_mode(house: House) -> None:
    with ModelServer([Reply(calls=[SLOW]), Reply(calls=[TOUCH]), Reply("Done.")]) as server:
        session = killed(house, server)
        done = resumed(house, server, session)
    assert not (house.workspace / "pwned.txt").exists()
    assert "The mode allowAll was chosen before" in done.stdout
    assert done.returncode == 3  # a question found nobody


def test_killed_run_in_allow_all_goes_on_in_it_when_the_command_line_says_so(house: House) -> None:
    with ModelServer([Reply(calls=[SLOW]), Reply(calls=[TOUCH]), Reply("Done.")]) as server:
        done = resumed(house, server, killed(house, server), "--mode", "allowAll")
    assert (house.workspace / "pwned.txt").exists()
    assert done.returncode == 0


async def test_killed_run_in_allow_all_is_resumed_by_the_library_in_the_configured_mode(house: House) -> None:
    with ModelServer([Reply(calls=[SLOW]), Reply(calls=[TOUCH]), Reply("Done.")]) as server:
        session = killed(house, server)
        async with Agent(house.workspace, state=house.state, base_url=server.url, model="m") as agent:
            conversation = await agent.session(session)
            result = await conversation.resume()
    assert result is not None
    assert not (house.workspace / "pwned.txt").exists()


def test_stricter_mode_of_a_killed_run_is_kept(house: House) -> None:
    house.configure('[permissions]\nmode = "allowAll"\n')
    with ModelServer([Reply("Slow.", delay=60), Reply(calls=[TOUCH]), Reply("Done.")]) as server:
        program = [sys.executable, "-P", "-m", "agls", "run", "go", "--base-url", server.url, "--model", "m"]
        process = subprocess.Popen(
            [*program, "--mode", "plan"], cwd=house.workspace, env=house.variables, stdin=subprocess.DEVNULL
        )
        wait_until(lambda: bool(server.posts))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        resumed(house, server)
    assert not (house.workspace / "pwned.txt").exists()
