"""How keepers are started: forked from a process that has loaded what they need, else by themselves.

That process (`keeper_host.py`) is started once commands are frequent. It works only where this process adopts
what is below it (`orphans.adopt`): it has to become the parent of a keeper that something else forked.
"""

import marshal
import os
import socket
import subprocess  # noqa: TID251 - this is the one place
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import Protocol

from agls.frozen import frozen
from agls.workspace.orphans import adopts, ours

FREQUENT = 6  # keepers. A session with a prompt or two asks git so many things; nine megabytes wait for more
PATIENCE = 2.0  # seconds that the process which forks may take: it needs one or two thousandths
_PYTHON = (sys.executable, "-I", "-S", "-c")
_IMPORTED = "import sys; sys.path.append(sys.argv.pop(1)); "  # so it is compiled once
_FOLDER = Path(__file__).parent
_KEEPER = (*_PYTHON, f"{_IMPORTED}import keeper; keeper.main()", str(_FOLDER))
_MAIN = "from agls.workspace.keeper_host import main; main()"
_HOST = (*_PYTHON, _IMPORTED + _MAIN, str(_FOLDER.parents[1]))
_GO = b"!"


@frozen
class Descriptors:
    """What a program gets: the open folder to work in, its standard streams, and others by their numbers."""

    folder: int
    streams: tuple[int, int, int]
    others: tuple[int, ...] = ()


class Keeper(Protocol):
    """A keeper that was started."""

    @property
    def pid(self) -> int: ...
    def wait(self) -> int: ...
    def send_signal(self, sig: int) -> None: ...


class KeeperSource:
    """Starts keepers. There is one of it in a process."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._host: _Host | None = None
        self._started = 0

    def start(
        self, argv: Sequence[str], environment: Mapping[str, str], given: Descriptors
    ) -> tuple[Keeper, socket.socket]:
        """Start a keeper of a program. **Returns** it with the lifeline.

        **Raises** `OSError` and `ValueError`.
        """
        keeper: Keeper | None = None
        with self._lock:
            self._started += 1
            if host := self._ready():
                lifeline, theirs = socket.socketpair()
                with theirs:
                    keeper = host.fork(argv, environment, given, theirs.fileno())
                if keeper:
                    ours.add(keeper.pid)
                    with suppress(OSError):  # it is gone: whoever waits for its end learns of it
                        lifeline.send(_GO)
                    return keeper, lifeline
                lifeline.close()  # of one that may be there all the same: it starts nothing
                self._host = None
        lifeline, theirs = socket.socketpair()
        with theirs:
            try:
                return _started(argv, environment, given, theirs.fileno()), lifeline
            except (OSError, ValueError):
                lifeline.close()
                raise

    @property
    def is_warm(self) -> bool:
        """Whether the next keeper will be forked."""
        return self._host is not None and self._host.is_ours and self._host.is_ready

    def _ready(self) -> "_Host | None":
        """Return the process that forks, once it is there."""
        if not adopts() or self._started < FREQUENT:
            return None
        if self._host is None or not self._host.is_ours:
            self._host = _Host()
        return self._host if self._host.is_ready else None


class _Host:
    """The process that forks keepers, which ends with this one."""

    def __init__(self) -> None:
        self._calls, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._maker = os.getpid()
        with theirs:
            self._process = subprocess.Popen(
                (*_HOST, str(theirs.fileno())),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env={},
                cwd="/",
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        ours.add(self._process.pid)
        self._calls.setblocking(False)
        self._is_ready = False

    @property
    def is_ours(self) -> bool:
        """Whether this process started it: a forked one does not use it."""
        return self._maker == os.getpid()

    @property
    def is_ready(self) -> bool:
        """Whether it has loaded what it needs."""
        if not self._is_ready:
            with suppress(OSError):
                self._is_ready = bool(self._calls.recv(1))
                self._calls.settimeout(PATIENCE)
        return self._is_ready

    def fork(
        self, argv: Sequence[str], environment: Mapping[str, str], given: Descriptors, lifeline: int
    ) -> "Keeper | None":
        """Have a keeper forked. **Returns** `None` when that could not be: then this one is ended."""
        words = [os.fsencode(word) for word in argv]
        variables = {os.fsencode(name): os.fsencode(value) for name, value in environment.items()}
        said = os.memfd_create("call")
        try:
            os.write(said, marshal.dumps((words, variables, list(given.others))))
            handles = (said, lifeline, given.folder, *given.streams, *given.others)
            socket.send_fds(self._calls, [_GO], handles)
            number = int.from_bytes(self._calls.recv(4), "little")
        except OSError:
            number = 0
        finally:
            os.close(said)
        if not number:
            self._end()
            return None
        return _Forked(number)

    def _end(self) -> None:
        self._calls.close()
        self._process.kill()
        self._process.wait()
        ours.discard(self._process.pid)


@frozen
class _Forked:
    """A keeper that another process forked, and that this one adopted."""

    pid: int

    def wait(self) -> int:
        """Wait for its end. **Returns** its status, negative for a signal."""
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status)

    def send_signal(self, sig: int) -> None:
        """Send it a signal."""
        os.kill(self.pid, sig)


def _started(
    argv: Sequence[str], environment: Mapping[str, str], given: Descriptors, lifeline: int
) -> Keeper:
    """Start a keeper by itself."""
    stdin, stdout, stderr = given.streams
    keeper = subprocess.Popen(
        (*_KEEPER, str(lifeline), str(given.folder), *argv),
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        env=environment,
        pass_fds=(lifeline, given.folder, *given.others),
        start_new_session=True,
    )
    ours.add(keeper.pid)
    return keeper


keepers = KeeperSource()
