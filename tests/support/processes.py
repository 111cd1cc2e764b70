"""Processes of the program, without the second that each takes to load it."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

PROGRAM = [sys.executable, "-m", "agls"]
STARTED_WITH = ("PYTHON", "LC_", "LD_", "LANG")  # variables that Python itself looks at when it starts
LARGEST = 100_000  # bytes of arguments and variables in a message
NUMBER = 4  # bytes


class LoadedProcess(subprocess.Popen[Any]):
    """A process of `agls` like any other, but forked from one that has loaded it (docs/decisions/990).

    What cannot be had that way is started in the usual one: other programs, other settings of Python itself,
    options of a process that are rarely used, and what a test is about that says `cold`.
    """

    def __init__(self, arguments: Sequence[str], *, cold: bool = False, **options: Any) -> None:
        self._cold = cold
        self._end = -1  # tells how it ended
        super().__init__(arguments, **options)

    def _execute_child(  # noqa: PLR0913, PLR0917 - those of Popen
        self, args: Any, executable: Any, preexec_fn: Any, close_fds: Any, pass_fds: Any, cwd: Any, env: Any,
        startupinfo: Any, creationflags: Any, shell: Any, p2cread: int, p2cwrite: int, c2pread: int,
        c2pwrite: int, errread: int, errwrite: int, restore_signals: Any, gid: Any, gids: Any, uid: Any,
        umask: int, start_new_session: bool, process_group: int,
    ) -> None:  # fmt: skip
        variables = dict(os.environ if env is None else env)
        folder = os.path.abspath(cwd or os.curdir)
        asked = {"arguments": args[3:], "variables": variables, "folder": folder, "session": start_new_session}
        unusual = executable or preexec_fn or pass_fds or shell or gid or gids or uid or umask + process_group + 2
        if unusual or self._cold or args[:3] != PROGRAM or not alike(variables) or not os.path.isdir(folder):
            message = b""
        else:
            message = json.dumps(asked).encode()
        if not 0 < len(message) < LARGEST:
            super()._execute_child(  # type: ignore[misc]
                args, executable, preexec_fn, close_fds, pass_fds, cwd, env, startupinfo, creationflags, shell,
                p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite, restore_signals, gid, gids, uid, umask,
                start_new_session, process_group,
            )  # fmt: skip
            return
        streams = [own if own >= 0 else usual for usual, own in enumerate((p2cread, c2pwrite, errwrite))]
        self._end, theirs = os.pipe()
        socket.send_fds(loaded(variables.get("COVERAGE_PROCESS_CONFIG")), [message], [*streams, theirs])
        os.close(theirs)
        self.pid = int.from_bytes(os.read(self._end, NUMBER), "little")
        assert self.pid, "the program that was loaded is gone"
        self._child_created = True
        self._close_pipe_fds(p2cread, p2cwrite, c2pread, c2pwrite, errread, errwrite)  # type: ignore[attr-defined]

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if self._end < 0:
            return super()._try_wait(flags)  # type: ignore[misc]
        if flags & os.WNOHANG and not select.select([self._end], [], [], 0)[0]:
            return 0, 0
        told = os.read(self._end, NUMBER)
        os.close(self._end)
        return self.pid, int.from_bytes(told, "little") if told else signal.SIGKILL

    def _internal_poll(self, **others: Any) -> int | None:
        if self._end < 0:
            return super()._internal_poll(**others)  # type: ignore[misc]
        if self.returncode is None and self._waitpid_lock.acquire(blocking=False):  # type: ignore[attr-defined]
            try:
                number, status = self._try_wait(os.WNOHANG) if self.returncode is None else (0, 0)
                if number:
                    self._handle_exitstatus(status)  # type: ignore[attr-defined]
            finally:
                self._waitpid_lock.release()  # type: ignore[attr-defined]
        return self.returncode


def alike(variables: Mapping[str, str]) -> bool:
    """Whether Python would start with these variables as it did here."""
    names = {name for name in {*variables, *os.environ} if name.startswith(STARTED_WITH)}
    return all(variables.get(name) == os.environ.get(name) for name in names)


@cache
def loaded(measured: str | None) -> socket.socket:
    """A process that has loaded the program; `measured` is what the coverage of processes begins with."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    variables = {**os.environ, **({"COVERAGE_PROCESS_CONFIG": measured} if measured else {})}
    if not measured:
        variables.pop("COVERAGE_PROCESS_CONFIG", None)
    program = Path(__file__).with_name("loaded_program.py")
    with theirs:
        command = [sys.executable, "-P", program, str(theirs.fileno())]
        process = subprocess.Popen(command, env=variables, pass_fds=[theirs.fileno()])

    def end() -> None:
        ours.close()
        process.wait()

    atexit.register(end)
    return ours


def run(arguments: Sequence[str], *, input: str | None = None, timeout: float, **options: Any) -> tuple[int, str, str]:
    """Run it to the end; gives the exit code and what it printed. **Raises** `TimeoutExpired`."""
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    with LoadedProcess(arguments, text=True, **pipes, **options) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
        return process.returncode, out, err
