"""The real program in a process of its own, with a home, a state folder and a workspace for each test."""

import json
import os
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from support.machine import NO_LOCAL_SERVERS
from support.patience import PATIENCE, wait_until
from support.processes import PROGRAM, LoadedProcess, run
from support.wire_rules import check_printed

SCRIPTED = 'model = "scripted"\n[models.scripted]\ndialect = "scripted"\nscript = "script.json"\n'


@dataclass(frozen=True)
class Done:
    """How a process ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def events(self) -> list[dict[str, Any]]:
        """Standard output as JSON lines."""
        return [json.loads(line) for line in self.out.splitlines()]

    @property
    def whole(self) -> dict[str, Any]:
        """Standard output as one JSON object."""
        return json.loads(self.out)


class Process(LoadedProcess):
    """A program that was left running; what it printed is checked when it is collected."""

    def communicate(self, *arguments: Any, **options: Any) -> tuple[str, str]:
        """Wait for the end; gives what was printed."""
        out, err = super().communicate(*arguments, **options)
        assert isinstance(self.args, list)
        check_printed([str(argument) for argument in self.args], out or "", self.returncode)
        return out, err


class Agls:
    """Runs `agls` in `workspace`. The model says what `script` was told. Every log is checked."""

    def __init__(self, folder: Path) -> None:
        self.workspace, self.home = folder / "workspace", folder / "home"
        self.workspace.mkdir()
        self.home.mkdir()
        self.config_file = self.home / "config.toml"
        self.state = self.home / "state"
        self.environment: dict[str, str] = {}
        self._started: list[subprocess.Popen[str]] = []
        self.configure(SCRIPTED)

    def configure(self, text: str) -> None:
        """Write the user's config file."""
        self.config_file.write_text(text)

    def script(self, *turns: dict[str, Any], **settings: Any) -> None:
        """What the model answers to the first prompt, and to every other one."""
        self.prompts([*turns], [*turns], **settings)

    def prompts(self, *prompts: Sequence[dict[str, Any]], **settings: Any) -> None:
        """What the model answers to each prompt in turn."""
        content = {"prompts": [{"turns": turns} for turns in prompts], **settings}
        (self.home / "script.json").write_text(json.dumps(content))

    def run(self, *arguments: str, stdin: str = "") -> Done:
        """Run to the end; a log of JSON lines is checked."""
        argv = self.argv(arguments)
        done = run(argv, input=stdin, timeout=PATIENCE, cwd=self.workspace, env=self.variables)
        check_printed(arguments, done.stdout, done.returncode)
        return Done(done.returncode, done.stdout, done.stderr)

    def start(self, *arguments: str, **options: Any) -> subprocess.Popen[str]:
        """Start and leave running."""
        pipes: dict[str, Any] = {
            "stdin": subprocess.DEVNULL,
            "stdout": subprocess.PIPE,
            "stderr": subprocess.PIPE,
        }
        process = Process(
            self.argv(arguments), cwd=self.workspace, env=self.variables, text=True, **(pipes | options)
        )
        self._started.append(process)
        return process

    def end(self) -> None:
        """End what is still running."""
        for process in self._started:
            process.kill()
            process.wait()
            for pipe in (process.stdin, process.stdout, process.stderr):
                if pipe:
                    pipe.close()

    @staticmethod
    def argv(arguments: Sequence[str]) -> list[str]:
        """The command line."""
        return [*PROGRAM, *arguments]

    @property
    def variables(self) -> dict[str, str]:
        """The environment: the machine's without the settings of whoever runs the tests."""
        mine = {k: v for k, v in os.environ.items() if not k.startswith(("AGLS_", "OPENAI_", "XDG_"))}
        ours = {"AGLS_CONFIG": str(self.config_file), "AGLS_STATE_DIR": str(self.state), **NO_LOCAL_SERVERS}
        return {**mine, "HOME": str(self.home), **ours, **self.environment}

    def sessions(self) -> list[dict[str, str]]:
        """The sessions there are."""
        return json.loads(self.run("sessions", "--json").out)

    def wait_until_asked(self, count: int = 1) -> None:
        """Wait until a session's journal holds so many model requests."""

        def turns() -> int:
            journals = self.state.glob("sessions/*.jsonl")
            return sum(file.read_text().count('"turn_started"') for file in journals)

        wait_until(lambda: turns() >= count)


@pytest.fixture
def agls(tmp_path: Path) -> Iterator[Agls]:
    program = Agls(tmp_path)
    yield program
    program.end()
