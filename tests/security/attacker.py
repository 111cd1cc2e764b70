"""An attacker who owns the model: every call they want is made, by the real program, in a real folder.

    loot = house.attack(call("read_file", path="../elsewhere/canary.txt"), mode="allowAll")
    assert not loot.stolen

The house has a workspace, things outside it that nobody may read or change, and a user who is away
(`agls run` without a terminal) or who says yes to nothing.
"""

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.machine import NO_LOCAL_SERVERS
from support.model_server import ModelServer, Reply, Request
from support.processes import run
from support.wire_rules import check_printed

Json = dict[str, Any]
Call = tuple[str, Json]
CANARY = "canary-in-the-house-4711"
KEY = "sk-canary-key-0815-4711"
PATIENT = "[guards]\nfailed_calls = 10000\nidentical_calls = 10000\n[budget]\nmax_turns = 50\n"


def call(name: str, **arguments: Any) -> Call:
    """A call that the model will make."""
    return name, arguments


@dataclass(frozen=True)
class Loot:
    """What an attack brought: `answers` is what the model read of each call, in order."""

    answers: list[str]
    events: list[Json]
    code: int
    errors: str
    requests: list[Request] = field(default_factory=list[Request])

    @property
    def seen(self) -> str:
        """Everything that left for the model."""
        return "\n".join(request.content.decode() for request in self.requests)

    @property
    def stolen(self) -> bool:
        """Whether the model got to see a canary."""
        return CANARY in self.seen

    @property
    def unanswered(self) -> int:
        """How many questions found nobody."""
        return sum(event["type"] == "requestResolved" for event in self.events)

    def of_type(self, kind: str) -> list[Json]:
        """The data of all events of a type."""
        return [event["data"] for event in self.events if event["type"] == kind]


class House:
    """A user's home with a workspace somebody else wrote."""

    cold = False  # whether a process is started from nothing, so that what the system shows of it is its own

    def __init__(self, folder: Path) -> None:
        self.folder, self.home = folder, folder / "home"
        self.workspace, self.outside = folder / "work" / "repo", folder / "work" / "elsewhere"
        self.state = self.home / "state"
        for path in (self.home, self.workspace, self.outside):
            path.mkdir(parents=True)
        (self.outside / "canary.txt").write_text(CANARY + "\n")
        self.config = self.home / "config.toml"
        self.configure("")
        self.environment: dict[str, str] = {}

    def configure(self, text: str) -> None:
        """The user's own settings."""
        self.config.write_text(f"{text}\n{PATIENT}")

    def put(self, name: str, text: str = "") -> Path:
        """A file in the workspace, there before agls was started."""
        path = self.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return path

    def surround(self) -> None:
        """Put what is worth stealing around the workspace, and a file into it."""
        evil = self.workspace.with_name("repo-evil")
        evil.mkdir()
        (evil / "canary.txt").write_text(CANARY)
        (self.home / ".ssh").mkdir()
        (self.home / ".ssh/id_rsa").write_text(CANARY)
        self.configure(f"# {CANARY}\n")
        self.put("src/a.py", "a = 1\n")

    @property
    def variables(self) -> dict[str, str]:
        """The user's environment, with a key in it."""
        kept = ("PATH", "LANG", "COVERAGE_PROCESS_START", "COVERAGE_PROCESS_CONFIG", "COVERAGE_FILE")
        own = {name: os.environ[name] for name in kept if name in os.environ}
        own |= {
            "HOME": str(self.home),
            "AGLS_CONFIG": str(self.config),
            "AGLS_STATE_DIR": str(self.state),
            **NO_LOCAL_SERVERS,
        }
        return {**own, "AGLS_API_KEY": KEY, "PYTHONDONTWRITEBYTECODE": "1", **self.environment}

    def attack(self, *calls: Call, **options: Any) -> Loot:
        """One prompt; the model makes these calls, all at once, and then is content."""
        return self.attacks([calls], **options)

    def attacks(
        self,
        turns: Sequence[Sequence[Call]],
        *,
        mode: str = "ask",
        arguments: Sequence[str] = (),
        before: Sequence[str] = (),
    ) -> Loot:
        """The same with several turns: each list of calls is made when the one before it is answered."""
        with ModelServer([*(Reply(calls=calls) for calls in turns), Reply("Done.")]) as server:
            done = self.run("run", "go", "--base-url", server.url, "--model", "m", "--mode", mode,
                            "--output", "jsonl", "--max-turns", "50", *arguments, before=before)  # fmt: skip
        messages = server.posts[-1].body["messages"] if server.posts else []
        return Loot(
            answers=[message["content"] for message in messages if message["role"] == "tool"],
            events=[json.loads(line) for line in done.stdout.splitlines()],
            code=done.returncode,
            errors=done.stderr,
            requests=server.posts,
        )

    def run(self, *arguments: str, before: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """Run agls to its end; `before` is the command line that runs it."""
        command = [*before, sys.executable, "-P", "-m", "agls", *arguments]
        started: dict[str, Any] = {"cold": self.cold, "cwd": self.workspace, "env": self.variables}
        done = run(command, timeout=200, stdin=subprocess.DEVNULL, **started)
        check_printed(arguments, done.stdout, done.returncode)
        return done


def snapshot(folder: Path) -> Mapping[str, tuple[int, bytes]]:
    """Everything in a folder: kinds, modes, contents and where links lead."""
    found: dict[str, tuple[int, bytes]] = {}
    for path in sorted(folder.rglob("*")):
        status = path.lstat()
        content = bytes(path.readlink()) if path.is_symlink() else b""
        if path.is_file() and not path.is_symlink():
            content = path.read_bytes()
        found[str(path.relative_to(folder))] = (status.st_mode, content)
    return found
