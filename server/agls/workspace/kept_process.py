"""A process under a keeper, which ends it and all that it started when the lifeline to it is cut."""

import asyncio
import os
import signal
import socket
import subprocess  # noqa: TID251 - for the names of streams
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress
from typing import IO

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.orphans import end_orphans, ours

PATIENCE = 3.0  # seconds that are waited for a keeper to end everything; then it goes on unattended
_ROUNDS, _ROUND = 200, 0.01  # how often, and after how many seconds, orphans are looked for again


@frozen
class Streams:
    """The standard streams of a program, as `subprocess` takes them; `others` are descriptors it gets too."""

    input: int = subprocess.DEVNULL
    output: int = subprocess.PIPE
    errors: int = subprocess.PIPE
    others: tuple[int, ...] = ()


@frozen
class OurEnds:
    """Our ends of the streams that are pipes."""

    stdin: IO[bytes] | None = None
    stdout: IO[bytes] | None = None
    stderr: IO[bytes] | None = None


class KeptProcess:
    """A program and all that it starts. `on_end` is called once, when nothing of it runs any more.

    `status` is the exit status of the keeper (the program's), negative for a signal; `left` is how many
    processes the program left running.
    """

    def __init__(self, on_end: Callable[[], None]) -> None:
        self._on_end = on_end
        self._loop = asyncio.get_running_loop()
        self.status = -signal.SIGKILL
        self.left = 0

    def start(
        self, argv: Sequence[str], folder: int, environment: Mapping[str, str], streams: Streams
    ) -> OurEnds:
        """Start the keeper; it starts the program in the open `folder`. **Raises** `WorkspaceError`."""
        from agls.workspace.keepers import Descriptors, keepers  # noqa: PLC0415 - a session begins without

        try:
            with ExitStack() as theirs, ExitStack() as unused:
                stdin, to_input = _opened(streams.input, theirs, unused, writing=True)
                stdout, from_output = _opened(streams.output, theirs, unused)
                stderr, from_errors = _opened(streams.errors, theirs, unused)
                given = Descriptors(folder, (stdin, stdout, stderr), streams.others)
                self._keeper, self._lifeline = keepers.start(argv, environment, given)
                unused.pop_all()
        except (OSError, ValueError) as error:
            raise WorkspaceError(f"{argv[0]} could not be started: {error}.") from error
        self._loop.add_reader(self._lifeline, self._read)
        return OurEnds(to_input, from_output, from_errors)

    @property
    def is_gone(self) -> bool:
        """Whether the keeper is gone; what a killed one left may still be on its way out."""
        return self._lifeline.fileno() < 0

    def end(self) -> None:
        """Cut the lifeline: the keeper ends everything. Harmless when it has ended."""
        with suppress(OSError):
            self._lifeline.shutdown(socket.SHUT_WR)
            self._keeper.send_signal(signal.SIGCONT)  # in case the program had stopped it

    def _read(self) -> None:
        """Read our end of the lifeline: the number of processes left running, or the keeper is gone."""
        with suppress(OSError):
            if number := self._lifeline.recv(16):
                self.left = int(number)
                return
        self._loop.remove_reader(self._lifeline)
        self._lifeline.close()
        self.status = self._keeper.wait()
        ours.discard(self._keeper.pid)
        self._end_orphans(_ROUNDS if self.status < 0 else 0)

    def _end_orphans(self, rounds: int) -> None:
        """End what a killed keeper left: its children are adopted one generation after the other."""
        if rounds and end_orphans():
            self._loop.call_later(_ROUND, self._end_orphans, rounds - 1)
        else:
            self._on_end()


def _opened(
    stream: int, theirs: ExitStack, ours_too: ExitStack, *, writing: bool = False
) -> tuple[int, IO[bytes] | None]:
    """Open what a stream means. **Returns** it, and our end of a pipe; each is closed with its stack."""
    if stream == subprocess.DEVNULL:
        nothing = os.open(os.devnull, os.O_RDWR)
        theirs.callback(os.close, nothing)
        return nothing, None
    if stream != subprocess.PIPE:
        return stream, None
    reading_end, writing_end = os.pipe()
    far, near = (reading_end, writing_end) if writing else (writing_end, reading_end)
    theirs.callback(os.close, far)
    return far, ours_too.enter_context(os.fdopen(near, "wb" if writing else "rb", buffering=0))
