"""The page about scripted models: its examples run as it says, and it names every member of a script."""

import re
import shlex
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel

from agls.engine.vocabulary import Finish
from agls.models.scripted.script import (
    ErrorKind,
    Script,
    ScriptedCall,
    ScriptedError,
    ScriptedOverflow,
    ScriptedPrompt,
    ScriptedTurn,
    ScriptedUsage,
)
from doors.headless.conftest import Agls

pytestmark = pytest.mark.timeout(150)  # several processes, on a slow machine
PAGE = (Path(__file__).parents[3] / "docs/scripted-model.md").read_text("utf-8")
CONFIG, SCRIPT, COMMANDS, LATER = re.findall(r"```(?:toml|sh)\n(.*?)```", PAGE, re.DOTALL)
PARTS: tuple[type[BaseModel], ...] = (
    Script, ScriptedPrompt, ScriptedTurn, ScriptedCall, ScriptedUsage, ScriptedError, ScriptedOverflow
)  # fmt: skip


@pytest.fixture
def played(agls: Agls) -> Agls:
    agls.configure(CONFIG)
    agls.config_file.with_name("script.toml").write_text(SCRIPT)
    return agls


def test_commands_of_the_page_do_what_stands_behind_them(played: Agls) -> None:
    lines = COMMANDS.splitlines()
    assert len(lines) == 4
    for line in lines:
        command, _, said = line.partition("#")
        words = shlex.split(command.replace("< /dev/null", ""))
        (played.workspace / "note.txt").unlink(missing_ok=True)
        done = played.run(*words[1:])
        is_written = (played.workspace / "note.txt").exists()
        assert is_written is ("note.txt" in said), line
        assert is_written or said.rpartition(": ")[2].strip() in done.out, line
    assert "list_dir" in played.run("run", "list the files").err


def test_faults_of_the_page_are_played(played: Agls) -> None:
    played.config_file.with_name("script.toml").write_text(LATER)
    done = played.run("run", "go", "--output", "json")
    assert done.whole["result"] == "It took three tries."
    assert "Too busy." in played.run("run", "go").err


def test_every_member_and_word_of_a_script_is_on_the_page() -> None:
    members = {name for part in PARTS for name in part.model_fields}
    words = {*members, *get_args(ErrorKind), *get_args(Finish)}
    assert [word for word in sorted(words) if not re.search(rf"\b{word}\b", PAGE)] == []
