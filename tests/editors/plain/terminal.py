"""A terminal with an editor in it, driven as a user would: keys in, what is on the screen out."""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import ClassVar, Self

from support.machine import NO_LOCAL_SERVERS
from support.patience import wait_until
from support.wire import Message, script

COLUMNS, ROWS = 140, 40


class Terminal:
    """An editor in a detached tmux, in a workspace and a home of its own; `agls` is that of this checkout."""

    latest: ClassVar["Terminal | None"] = None  # for what is told of a test that failed

    def __init__(self, programs: Path, folder: Path, model: Sequence[Message]) -> None:
        self.folder, self.programs = folder, programs
        self.workspace = folder / "workspace"
        self.workspace.mkdir()
        self.config = script(folder, *model)
        self._socket = Path(tempfile.mkdtemp(prefix="tmux-"))  # short: the path of a socket has a limit
        own = folder / "bin"
        own.mkdir()
        (own / "agls").write_text(f'#!/bin/sh\nexec {sys.executable} -m agls "$@"\n')
        (own / "agls").chmod(0o755)
        Terminal.latest = self

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if (self._socket / "s").exists():
                self._tmux("kill-server")
        finally:
            shutil.rmtree(self._socket, ignore_errors=True)

    def start(self, *command: str) -> None:
        """Start an editor, with nothing of this machine's user in it."""
        environment = {
            "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "LANG": "C.UTF-8",
            "TERM": "tmux-256color",
            "AGLS_STATE_DIR": str(self.folder / "state"),
            "AGLS_CONFIG": str(self.config),
            **NO_LOCAL_SERVERS,
        }
        size = ("-x", str(COLUMNS), "-y", str(ROWS))
        given = ["env", "-i", *(f"{name}={value}" for name, value in environment.items()), *command]
        # The shell outlives the editor, so that what it said at its end can be read.
        self._tmux("new-session", "-d", *size, "-c", str(self.workspace), f"{shlex.join(given)}; sleep 1000")

    def keys(self, *keys: str) -> None:
        """Press keys, in tmux's notation: `C-x`, `Enter`."""
        self._tmux("send-keys", *keys)

    def type(self, text: str) -> None:
        """Type text as it is."""
        self._tmux("send-keys", "-l", text)

    def screen(self) -> str:
        """What is on the screen."""
        return self._tmux("capture-pane", "-p")

    def shows(self, text: str) -> None:
        """Wait until this is on the screen."""
        wait_until(lambda: text in self.screen())

    def shows_line(self, text: str) -> None:
        """Wait until a line of the screen is this, whatever margin the editor gives it."""
        wait_until(lambda: text in (line.strip() for line in self.screen().splitlines()))

    def hides(self, text: str) -> None:
        """Wait until this is on the screen no more."""
        wait_until(lambda: text not in self.screen())

    def told(self) -> str:
        """What is on the screen and in the logs, for a test that failed."""
        logs = [log.read_text()[-3000:] for log in self.folder.rglob("*.log")]
        return "\n".join([self.screen(), *logs])

    def _tmux(self, *arguments: str) -> str:
        command = [self.programs / "tmux", "-S", self._socket / "s", "-f", "/dev/null", *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout
