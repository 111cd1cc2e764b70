"""What was kept under the name that agls had before is taken over once, through every door, and told."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from agls.workspace.protected import AGLS, danger
from support.keyring_stub import make_keyring
from support.patience import PATIENCE
from support.processes import run
from support.wire import Wire, script, turns

LIBRARY = """
import asyncio, logging
logging.basicConfig()
from agls.library import Agent
async def go():
    async with Agent('.') as agent: pass
asyncio.run(go())
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A home as the former name left it: its settings, a real session, a key in the file of keys."""
    made = tmp_path / "made"
    made.mkdir()
    with Wire(made, script(made, turns("Hello from before."), turns("Hello again."))) as wire:
        wire.initialize()
        wire.run(wire.session(cwd=(made / "workspace").as_uri()))
    home = tmp_path / "home"
    state, settings = home / ".local/state/aglet", home / ".config/aglet"
    state.parent.mkdir(parents=True)
    shutil.copytree(made / "state", state)
    settings.mkdir(parents=True)
    shutil.copy(made / "config.toml", settings)
    with (settings / "config.toml").open("a") as file:
        file.write('[permissions]\ndeny = ["shell(rm *)"]\n')
    return home


def agls(home: Path, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *(arguments if arguments[0] == "-c" else ("-m", "agls", *arguments))]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), **variables}
    cwd = home.parent / "made/workspace"
    return run(command, timeout=PATIENCE, env=environment, cwd=cwd)


def test_session_of_the_former_name_is_listed_and_resumed_on_the_command_line(home: Path) -> None:
    listed = agls(home, "sessions")
    assert "sessions and keys of aglet" in listed.stderr
    assert "settings of aglet" in listed.stderr
    assert "ses_" in listed.stdout
    again = agls(home, "sessions")
    assert again.stderr == "", "once"
    resumed = agls(home, "resume", "go on")
    assert resumed.returncode == 0, resumed.stderr
    assert "Hello again." in resumed.stdout
    assert "shell(rm *)" in agls(home, "config", "explain").stdout
    assert not (home / ".local/state/aglet").exists()
    assert (home / ".config/aglet/config.toml").exists(), "it may be another program's as well"


def test_session_of_the_former_name_is_resumed_in_an_editor(home: Path, tmp_path: Path) -> None:
    command = ["env", "-u", "AGLS_STATE_DIR", "-u", "AGLS_CONFIG", f"HOME={home}"]
    with Wire(tmp_path, command=[*command, sys.executable, "-m", "agls", "serve", "--stdio"]) as wire:
        wire.unchecked = "a session of before begins in the middle"
        wire.initialize()
        wire.until(lambda m: "sessions and keys of aglet" in str(m.get("params", {}).get("message")))
        (row,) = wire.call("agent/session/list")["sessions"]
        items = wire.call("agent/resume", {"sessionId": row["sessionId"]})["snapshot"]["items"]
        assert [item["text"] for item in items if item["kind"] == "message"] == ["Hello from before."]


def test_program_gets_the_notice_of_the_former_name_in_its_log(home: Path) -> None:
    told = agls(home, "-c", LIBRARY)
    assert "settings of aglet" in told.stderr, told.stderr


def test_folders_of_the_new_name_are_not_replaced_by_the_former(home: Path) -> None:
    for place in (".local/state/agls", ".config/agls"):
        (home / place).mkdir()
    listed = agls(home, "sessions")
    assert ("aglet" in listed.stderr, "ses_" in listed.stdout) == (False, False)
    assert (home / ".local/state/aglet/sessions").is_dir()


def test_settings_of_another_program_of_that_name_are_left_alone(home: Path) -> None:
    (home / ".config/aglet/config.toml").write_text("[runtime]\nworkers = 4\n")
    listed = agls(home, "sessions")
    assert "settings of aglet" in listed.stderr
    assert "were not taken over" in listed.stderr
    assert not (home / ".config/agls").exists()


def test_strict_rules_of_a_project_apply_under_the_former_name_with_a_notice(home: Path) -> None:
    workspace = home.parent / "made/workspace"
    (workspace / ".aglet").mkdir()
    (workspace / ".aglet/config.toml").write_text('[permissions]\ndeny = ["shell(curl *)"]\n')
    told = agls(home, "config", "explain", "--trust")
    assert "shell(curl *)" in told.stdout
    assert "Rename the folder to .agls" in told.stdout + told.stderr


def test_variables_of_the_former_name_are_named_unless_there_are_new_ones(home: Path) -> None:
    line = "AGLET_MODEL: not read any more"
    assert line in agls(home, "sessions", AGLET_MODEL="x").stderr
    assert line not in agls(home, "sessions", AGLET_MODEL="x", AGLS_MODEL="y").stderr


def test_key_that_the_keyring_holds_under_the_former_name_is_found_and_removed(home: Path) -> None:
    package = make_keyring(home.parent / "library")
    held = package / "held.json"
    held.write_text(json.dumps({"aglet model.example": "sk-of-before"}))
    variables = {"PYTHONPATH": str(package.parent)}
    listed = agls(home, "key", "list", **variables)
    assert "model.example" not in listed.stdout, "no configured model has this host"
    (home / ".config/agls/config.toml").write_text(
        'model = "m"\n[models.m]\nbase_url = "https://model.example/v1"\nmodel = "x"\n'
    )
    listed = agls(home, "key", "list", **variables)
    assert "model.example" in listed.stdout, listed
    assert "keyring" in listed.stdout
    assert agls(home, "key", "remove", "model.example", **variables).returncode == 0
    assert json.loads(held.read_text()) == {}


def test_folder_of_the_former_name_stays_protected() -> None:
    for parts in ((".aglet", "config.toml"), ("below", ".AGLET", "agents", "a.toml")):
        assert danger(parts) == AGLS
