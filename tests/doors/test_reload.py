"""`/reload`: what people wrote for agls is read again, in every door."""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agls.doors.agent.limits import ConnectionLimits
from agls.library import Agent
from doors.headless.conftest import SCRIPTED, Agls
from support.wire import AGENT, Wire, script, turns

pytestmark = [pytest.mark.row(67), pytest.mark.row(82), pytest.mark.timeout(300)]
RUN = {"text": "", "calls": [{"name": "shell", "arguments": {"command": "touch made"}}]}
READ = (
    "Settings, instructions, rules and commands were read again; they hold from the next run on. `/doctor` "
    "names files that cannot be used."
)


@pytest.fixture
def wire(tmp_path: Path) -> Iterator[Wire]:
    """A client of a server in memory that says no to every question."""
    played = script(tmp_path, *[turns(RUN, "Done.")] * 5)
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.answers["agent/requestPermission"] = lambda _: {"outcome": "selected", "optionId": "reject"}
        yield wire


def typed(wire: Wire, session: str, text: str) -> Any:
    """Type a text. **Returns** the answer of a command, or the result of the run."""
    given = {"input": text, "expand": True, "wait": True, "sessionId": session}
    response = wire.ask("agent/run", given)
    if "error" in response:
        return response["error"]["message"]
    action = response["result"].get("action")
    return action["output"][0]["text"] if action else response["result"]


def append(wire: Wire, text: str) -> None:
    """Add to the user's config file."""
    file = wire.workspace.parent / "config.toml"
    file.write_text(f"{file.read_text()}\n{text}")


def test_changed_permissions_hold_from_the_next_run_on(wire: Wire) -> None:
    session = wire.session()
    append(wire, '[permissions]\nallow = ["shell(touch made)"]\n')
    typed(wire, session, "go")
    assert not (wire.workspace / "made").exists(), "a changed file alone widens nothing"
    answer = typed(wire, session, "/reload")
    assert answer.startswith(f"{READ}\n\nThese settings are different now:\n\n| Setting | Value | From |")
    assert '| `permissions.allow` | `["shell(touch made)"]` | user file, ' in answer
    typed(wire, session, "go")
    assert (wire.workspace / "made").exists()
    assert typed(wire, session, "/reload") == f"{READ}\n\nNo setting changed."


def test_file_that_is_wrong_is_reported_and_what_held_before_holds(wire: Wire) -> None:
    session = wire.session()
    good = (wire.workspace.parent / "config.toml").read_text()
    append(wire, '[permissions]\nmode = "sometimes"\n')
    message = typed(wire, session, "/reload")
    assert "permissions.mode" in message
    assert "what held before holds" in message
    (wire.workspace.parent / "config.toml").write_text(good)
    assert typed(wire, session, "go")["stopReason"] == "endTurn"


def test_file_that_changed_under_a_command_is_not_read_until_somebody_looked(tmp_path: Path) -> None:
    widen = f"echo '[permissions]\nmode = \"allowAll\"' >> {tmp_path}/config.toml"
    played = script(
        tmp_path,
        turns({"text": "", "calls": [{**RUN["calls"][0], "arguments": {"command": widen}}]}, "Done."),
    )
    with Wire(tmp_path, played, inside=ConnectionLimits()) as wire:
        wire.initialize(AGENT, initializationOptions={"trusted": True})
        wire.answers["agent/requestPermission"] = lambda _: {"outcome": "selected", "optionId": "once"}
        session = wire.session()
        assert typed(wire, session, "go")["stopReason"] == "endTurn"
        message = typed(wire, session, "/reload")
        assert f"{tmp_path}/config.toml changed while a command of the agent ran" in message
        assert "| `permissions.mode` | `allowAll` |" not in typed(wire, session, "/config permissions.mode")


def test_instructions_and_commands_are_read_again(wire: Wire) -> None:
    session = wire.session()
    (wire.workspace / "AGENTS.md").write_text("Say one.\n")
    (wire.workspace / ".agls/commands").mkdir(parents=True)
    (wire.workspace / ".agls/commands/fix.md").write_text("Fix it.")
    assert typed(wire, session, "/reload") == f"{READ}\n\nNo setting changed."
    assert "AGENTS.md" in typed(wire, session, "/instructions")
    assert typed(wire, session, "/fix")["stopReason"] == "endTurn"


def test_settings_that_are_gone_are_named(wire: Wire) -> None:
    session = wire.session()
    file = wire.workspace.parent / "config.toml"
    before = file.read_text()
    append(wire, '[models.other]\ndialect = "scripted"\nscript = "x"\n')
    assert "`models.other.dialect`" in typed(wire, session, "/reload")
    file.write_text(before)
    assert "| `models.other.dialect` | `null` |" in typed(wire, session, "/reload")


def test_command_line_answers_with_what_it_read(tmp_path: Path) -> None:
    agls = Agls(tmp_path)
    agls.configure(SCRIPTED)
    agls.script({"text": "Done."})
    done = agls.run("run", "/reload")
    assert (done.code, done.out) == (0, f"{READ}\n\nNo setting changed.\n")


async def test_library_reads_its_config_file_again_and_leaves_the_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("OPENAI_API_KEY", "sk-canary")
    play = tmp_path / "play.json"
    play.write_text(json.dumps({"prompts": [{"turns": [{"text": "Done."}]}]}))
    models = {"m": {"dialect": "scripted", "script": str(play)}}
    (tmp_path / "here/.agls").mkdir(parents=True)
    async with Agent(tmp_path / "here", trusted=True, model="m", models=models) as agent:
        conversation = await agent.session()
        (tmp_path / "here/.agls/config.toml").write_text("[budget]\nmax_turns = 3\n")
        assert (await conversation.act("reload")).text.startswith(READ)
        assert "| `budget.max_turns` | `3` |" in (await conversation.act("config", key="budget")).text
    assert os.environ["OPENAI_API_KEY"] == "sk-canary"
