"""A process under a keeper, which ends it and all that it started when the lifeline to it is cut."""

import asyncio
import signal
import socket
import subprocess  # noqa: TID251 - this is the one place
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.orphans import end_orphans, ours

PATIENCE = 3.0  # seconds that are waited for a keeper to end everything; then it goes on unattended
_IMPORTED = (
    "import sys; sys.path.append(sys.argv.pop(1)); import keeper; keeper.main()"  # so it is compiled once
)
_KEEPER = (sys.executable, "-I", "-S", "-c", _IMPORTED, str(Path(__file__).parent))
_ROUNDS, _ROUND = 200, 0.01  # how often, and after how many seconds, orphans are looked for again


@frozen
class Streams:
    """The standard streams of a program, as `subprocess` takes them; `others` are descriptors it gets too."""

    input: int = subprocess.DEVNULL
    output: int = subprocess.PIPE
    errors: int = subprocess.PIPE
    others: tuple[int, ...] = ()


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
    ) -> subprocess.Popen[bytes]:
        """Start the keeper; it starts the program in the open `folder`. **Raises** `WorkspaceError`."""
        self._lifeline, other_end = socket.socketpair()
        handles = (other_end.fileno(), folder)
        try:
            self._keeper = subprocess.Popen(
                (*_KEEPER, *map(str, handles), *argv),
                stdin=streams.input,
                stdout=streams.output,
                stderr=streams.errors,
                bufsize=0,
                env=environment,
                pass_fds=(*handles, *streams.others),
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            self._lifeline.close()
            raise WorkspaceError(f"{argv[0]} could not be started: {error}.") from error
        finally:
            other_end.close()
        ours.add(self._keeper.pid)
        self._loop.add_reader(self._lifeline, self._read)
        return self._keeper

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
