"""Processes of the program, without the second that each takes to load it."""

import atexit
import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from inspect import signature
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

PROGRAM = [sys.executable, "-m", "agls"]
SEEN = ("PYTHON", "LC_", "LD_", "LANG")  # variables that are looked at when Python starts
LATER = {"PYTHONPATH", "PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED"}  # those that a fork can still follow
USUAL_LOCALE = {"LANG": "C.UTF-8"}
LARGEST = 100_000  # bytes of arguments and variables in a message
OFTEN = 5  # starts, from which on it is worth it to load the program for the others
IS_ONE_OF_MANY = "PYTEST_XDIST_WORKER" in os.environ  # a process with tests enough to load it at once
NUMBER = 4  # bytes
CHANGED = "# of the program that is loaded\n"
ROOM = " " * 4_096  # for the command line that the system shows
Start = tuple[str, ...]
STARTS: Counter[Start] = Counter()
ENDS: list[Callable[[], None]] = []  # of what is loaded
WISHES = list(signature(vars(subprocess.Popen)["_execute_child"]).parameters)[1:]
PIPES = ("p2cread", "p2cwrite", "c2pread", "c2pwrite", "errread", "errwrite")
NOTHING = ("executable", "preexec_fn", "gid", "gids", "uid")
USUAL = {**dict.fromkeys(NOTHING), "pass_fds": (), "shell": False, "umask": -1, "process_group": -1}


class LoadedProcess(subprocess.Popen[Any]):
    """A process of `agls` like any other, but forked from one that has loaded it (docs/decisions/990).

    What cannot be had that way is started in the usual one: other programs, other settings of Python itself,
    options of a process that are rarely used, and whatever is asked for as `cold`.
    """

    def __init__(self, arguments: Sequence[str], *, cold: bool = False, **options: Any) -> None:
        self._cold = cold
        self._end = -1  # tells how it ended
        super().__init__(arguments, **options)

    @property
    def forked(self) -> bool:
        """Whether it was forked."""
        return self._end >= 0

    @property
    def _usual(self) -> Any:
        """What Popen does; its own methods have no types."""
        return super()

    def _execute_child(self, *given: Any) -> None:
        wish = dict(zip(WISHES, given, strict=True))
        start, message = asked(wish)
        if self._cold or any(wish[name] != usual for name, usual in USUAL.items()):
            message = b""
        elif message:
            STARTS[start] += 1
        if STARTS[start] < often(start) or not 0 < len(message) < LARGEST:
            self._usual._execute_child(*given)
            return
        pipes = [wish[name] for name in PIPES]
        streams = [own if own >= 0 else usual for usual, own in enumerate((pipes[0], pipes[3], pipes[5]))]
        self._end, theirs = os.pipe()
        socket.send_fds(loaded(start), [message], [*streams, theirs])
        os.close(theirs)
        self.pid = int.from_bytes(os.read(self._end, NUMBER), "little")
        assert self.pid, "the program that was loaded is gone"
        self._child_created = True
        self._usual._close_pipe_fds(*pipes)

    def _try_wait(self, flags: int) -> tuple[int, int]:
        if not self.forked:
            return self._usual._try_wait(flags)
        if flags & os.WNOHANG and not select.select([self._end], [], [], 0)[0]:
            return 0, 0
        told = os.read(self._end, NUMBER)
        os.close(self._end)
        return self.pid, int.from_bytes(told, "little") if told else signal.SIGKILL

    def _internal_poll(self, **others: Any) -> int | None:
        if not self.forked:
            return self._usual._internal_poll(**others)
        if self.returncode is None:
            with suppress(subprocess.TimeoutExpired):
                self.wait(0)
        return self.returncode


def changed_program(code: str) -> list[str]:
    """Return the command line of this code, which changes what the program has loaded, and runs it."""
    return [sys.executable, "-c", f"{CHANGED}{code}"]


def asked(wish: dict[str, Any]) -> tuple[Start, bytes]:
    """Return how Python would start, and what is asked of a program that started so; nothing if none can."""
    given = dict(os.environ if wish["env"] is None else wish["env"])
    command, variables = without_env(list(map(os.fspath, wish["args"])), given)
    folder = Path(wish["cwd"] or ".").absolute()
    options = [word for word in command[1:3] if word == "-P"]
    start = start_with(variables)
    begin = [sys.executable, *options, "-m", "agls"]
    code = command[2] if command[1:2] == ["-c"] and command[2].startswith(CHANGED) else ""
    if not (code or command[: len(begin)] == begin) or not folder.is_dir():
        return start, b""
    arguments = command[3:] if code else command[len(begin) :]
    message: dict[str, Any] = {"command": command, "arguments": arguments, "code": code}
    message |= {"variables": variables, "folder": str(folder), "session": wish["start_new_session"]}
    message["looks_in_folder"] = not options
    return start, json.dumps(message).encode()


def without_env(command: list[str], given: Mapping[str, str]) -> tuple[list[str], dict[str, str]]:
    """**Returns** a command line without `env [-u NAME …] [NAME=VALUE …]` before it, and its variables."""
    variables, rest = dict(given), list(command)
    if rest[:1] != ["env"]:
        return rest, variables
    del rest[0]
    while rest[:1] == ["-u"]:
        variables.pop(rest[1], None)
        del rest[:2]
    while rest and "=" in rest[0]:
        name, _, value = rest.pop(0).partition("=")
        variables[name] = value
    return rest, variables


def start_with(variables: Mapping[str, str]) -> Start:
    """**Returns** what Python looks at when it starts with these variables, and cannot follow later."""
    seen = {k: v for k, v in variables.items() if k.startswith(SEEN) and not (v and k in LATER)}
    if seen == USUAL_LOCALE:
        return ()  # Python takes the same where none is set (PEP 538)
    return tuple(sorted(f"{name}={value}" for name, value in seen.items()))


def often(start: Start) -> int:
    """**Returns** with which start of this kind it is worth it to load the program."""
    return 1 if IS_ONE_OF_MANY and start == start_with(os.environ) else OFTEN


@cache
def loaded(start: Start) -> socket.socket:
    """A process that has loaded the program, with these variables of Python."""
    left = TemporaryDirectory(prefix="agls-reached-")  # what its forks leave for the coverage
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    measured = "COVERAGE_PROCESS_CONFIG"  # not here, but in each of its forks
    variables = {k: v for k, v in os.environ.items() if k != measured and not k.startswith(SEEN)}
    variables |= dict(word.split("=", 1) for word in start)
    program = Path(__file__).with_name("loaded_agls.py")
    with theirs:
        command = [sys.executable, "-P", program, str(theirs.fileno()), left.name, ROOM]
        process = subprocess.Popen(command, env=variables, pass_fds=[theirs.fileno()])

    def end() -> None:
        ours.close()
        process.wait()
        left.cleanup()

    ENDS.append(end)
    return ours


@atexit.register
def end_loaded() -> None:
    """End what is loaded; it writes what of the program was reached."""
    while ENDS:
        ENDS.pop()()
    loaded.cache_clear()


def run(
    arguments: Sequence[str], *, input: str | None = None, timeout: float, **options: Any
) -> subprocess.CompletedProcess[str]:
    """Run it to the end, as `subprocess.run` does. **Raises** `TimeoutExpired`."""
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with LoadedProcess(arguments, text=True, **(pipes | options)) as process:
        try:
            out, err = process.communicate(input, timeout)
        except BaseException:
            process.kill()
            raise
        return subprocess.CompletedProcess(arguments, process.returncode, out, err)
