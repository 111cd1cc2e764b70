"""The server of the LSP door in a thread of the tests: the real one, without the start of a process."""

import asyncio
import os
import subprocess
import threading
from collections.abc import Callable, Mapping

from agls.config import Setup
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.stream.transport import Reader, Writer
from agls.doors.lsp.initialize import greet
from agls.doors.lsp.loading import LAST_WORDS
from agls.doors.lsp.server import LspServer


class Guest:
    """Implements `HostProcess`: nothing is done to the process of the tests."""

    def log(self, setup: Setup) -> None:
        """Keep no log."""

    def settle(self) -> None:
        """Do nothing."""

    def listen(self, end: Callable[[], None]) -> None:
        """Hear no signals."""

    def leave(self, code: int, *, trusted: bool) -> None:
        """Wait for everything that still works."""


class SharedEnvironment:
    """The variables of this process while servers live in it: those of the server that came last."""

    def __init__(self) -> None:
        self._servers = 0
        self._before: dict[str, str] = {}

    def enter(self, variables: Mapping[str, str]) -> None:
        """Let a server have these, and nothing else."""
        if not self._servers:
            self._before = dict(os.environ)
        self._servers += 1
        self._set(variables)

    def leave(self) -> None:
        """Take back what was changed, when no server is left."""
        self._servers -= 1
        if not self._servers:
            self._set(self._before)

    @staticmethod
    def _set(variables: Mapping[str, str]) -> None:
        os.environ.clear()
        os.environ.update(variables)


ENVIRONMENT = SharedEnvironment()


class EndingReader(Reader):
    """A reader that says when its thread is over."""

    def join(self) -> None:
        """Wait until nothing more is read."""
        self._thread.join()


class EndingWriter(Writer):
    """A writer that says when its thread is over."""

    def join(self) -> None:
        """Wait until nothing more is written."""
        self._thread.join()


class ServerThread:
    """A server that is used as `subprocess.Popen` is: by pipes, `wait`, `kill` and `returncode`.

    While it lives, the environment of this process is the one it was given.
    """

    def __init__(self, environment: Mapping[str, str], limits: ConnectionLimits | None = None) -> None:
        ENVIRONMENT.enter(environment)
        self._limits = limits or ConnectionLimits()
        received, ours = os.pipe()
        theirs, output = os.pipe()
        self.stdin, self.stdout = os.fdopen(ours, "wb", 0), os.fdopen(theirs, "rb", 0)
        self.returncode: int | None = None
        self._left = False
        self._writer = EndingWriter(output)
        self._reader = EndingReader(received, self._writer, self._limits)
        self._descriptors = (received, output)
        self._thread = threading.Thread(target=self._serve, name="agls-server", daemon=True)
        self._thread.start()

    def wait(self, timeout: float | None = None) -> int:
        """Wait for the end. **Returns** the exit code. **Raises** `TimeoutExpired`."""
        self._thread.join(timeout)
        if self.returncode is None:
            raise subprocess.TimeoutExpired("agls serve", timeout or 0.0)
        if not self._left:
            self._left = True
            ENVIRONMENT.leave()
        return self.returncode

    def kill(self) -> None:
        """End it; nothing happens where it ended before."""
        self._reader.end()

    def _serve(self) -> None:
        try:
            self.returncode = self._followed()
        except BaseException:
            self.returncode = 1
            raise
        finally:
            self._writer.close(LAST_WORDS)
            threading.Thread(target=self._let_go, name="agls-closing", daemon=True).start()

    def _let_go(self) -> None:
        """Close a pipe when its thread is over: until then its number must not be that of another."""
        received, output = self._descriptors
        self._writer.join()
        os.close(output)
        self._reader.join()
        os.close(received)

    def _followed(self) -> int:
        greeting = greet(self._reader, self._writer)
        if isinstance(greeting, int):
            return greeting
        server = LspServer(self._reader, self._writer, greeting, self._limits, Guest())
        return asyncio.run(server.serve({}))
