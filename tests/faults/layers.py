"""Two layers at which a telling of the story is disturbed: inside the process, and at the kernel's door.

`Inside` replaces functions of `os`, so it works everywhere, and can also set the clock back. `Traced` lets
`strace` do it: then what goes past those functions counts as well (SQLite, files that Python opened).
"""

import ctypes
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import threading
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from faults.story import Place, tell
from support.faults import CLOCK, ERRORS, KILL, POWER, Faults
from support.power_cut import PowerCut

KILLED = -signal.SIGKILL
CALLS = (  # what changes the disk or starts a process, by every name it has
    "write", "pwrite64", "fsync", "fdatasync", "ftruncate", "rename", "renameat", "renameat2", "link",
    "linkat", "unlink", "unlinkat", "mkdir", "mkdirat", "fork", "vfork", "clone", "clone3",
)  # fmt: skip
UNFAILING = ("fork", "vfork", "clone", "unlink")  # an error there is none of the disk
_CALLED = re.compile(r"(\d+) +(\w+)\((?:\d+<([^>]*)>)?")  # the thread, the call, the file when it is one
_LOOP, _WORKER = "loop", "worker"
_ALLOW_ANY, _TRACER = ctypes.c_ulong(-1), 0x59616D61  # PR_SET_PTRACER of prctl(2)


class Point(NamedTuple):
    """Before the N-th call of a kind in a thread; at layer `Inside`, the N-th of all calls."""

    number: int
    call: str
    thread: str = ""
    on_file: bool = True


class Layer(Protocol):
    """Tells the story in a process of its own: whole, to find the points, or disturbed at one of them."""

    def points(self, place: Place) -> list[Point]: ...

    def tell(self, place: Place, point: Point, what: str) -> tuple[int, bool]:
        """How that process ended, and whether the fault happened."""
        ...


def fork(work: Callable[[], None], log: Path) -> int:
    """Do it in a process of its own, which is forked from this one; gives its id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        work()
        code = 0
    except BaseException:  # noqa: BLE001 - it is written down, and the process ends here
        log.open("a").write(traceback.format_exc())
    finally:
        os._exit(code)


def ended(child: int) -> int:
    """Wait for its end; gives its exit code, or minus the signal."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def errors(place: Place) -> Path:
    """What the processes of a telling complained about."""
    return place.folder / "errors"


class Inside:
    """The calls of this process are replaced."""

    def points(self, place: Place) -> list[Point]:
        code, names = self._told(place, Faults(0, ""))
        assert code == 0, errors(place).read_text()
        return [Point(number, name) for number, name in enumerate(names, 1)]

    def tell(self, place: Place, point: Point, what: str) -> tuple[int, bool]:
        power = PowerCut(place.state, point.number) if what == POWER else None
        place.is_cut = what == POWER
        code, names = self._told(place, Faults(point.number, what, power))
        return code, code == KILLED or len(names) >= point.number

    def _told(self, place: Place, faults: Faults) -> tuple[int, list[str]]:
        names = place.folder / "names"

        def work() -> None:
            faults.begin()
            try:
                tell(place)
            finally:
                names.write_text(json.dumps(faults.names))

        code = ended(fork(work, errors(place)))
        return code, json.loads(names.read_text()) if code != KILLED else []


class Traced:
    """`strace` is attached to one thread of the process: that of the event loop, or the only other one."""

    def points(self, place: Place) -> list[Point]:
        tids: list[int] = []

        def follow(loop: int, worker: int) -> list[str]:
            tids.extend((loop, worker))
            return ["-f", "-b", "execve", "-p", str(loop)]

        code, trace = _traced(place, follow)
        assert code == 0, errors(place).read_text()
        return list(_points(trace, dict(zip(tids, (_LOOP, _WORKER), strict=True)), place.folder))

    def tell(self, place: Place, point: Point, what: str) -> tuple[int, bool]:
        harm = "signal=KILL" if what == KILL else f"error={what}"

        def attach(loop: int, worker: int) -> list[str]:
            thread = str(loop if point.thread == _LOOP else worker)
            return ["-e", f"inject={point.call}:{harm}:when={point.number}", "-p", thread]

        code, trace = _traced(place, attach)
        return code, code == KILLED or "(INJECTED)" in trace


def _points(trace: str, threads: dict[int, str], folder: Path) -> Iterator[Point]:
    count = Counter[tuple[str, str]]()
    for line in trace.splitlines():
        if (called := _CALLED.match(line)) and called[2] in CALLS:
            assert int(called[1]) in threads, f"a thread that nobody attaches to: {line}"
            thread, call, file = threads[int(called[1])], called[2], called[3]
            count[thread, call] += 1
            on_file = not file or file.startswith(str(folder))
            yield Point(count[thread, call], call, thread, on_file)


def _traced(place: Place, options: Callable[[int, int], list[str]]) -> tuple[int, str]:
    """The story under `strace` with the options for these threads: its exit code, and what was traced."""

    def story(worker: ThreadPoolExecutor) -> None:
        tell(place, worker)

    trace = place.folder / "trace"
    traced = ("-y", "-o", str(trace), "-e", f"trace={','.join(CALLS)}")
    with _waiting(story, errors(place)) as (child, tids, go), _attached(*traced, *options(*tids)):
        go()
        code = ended(child)
    return code, trace.read_text()


@contextmanager
def _waiting(
    work: Callable[[ThreadPoolExecutor], None], log: Path
) -> Iterator[tuple[int, tuple[int, int], Callable[[], object]]]:
    """A process that may be traced, its two threads, and what makes it begin; without that it ends."""
    ours, theirs = socket.socketpair()

    def begin() -> None:
        ours.close()
        ctypes.CDLL(None).prctl(_TRACER, _ALLOW_ANY, 0, 0, 0)  # Yama: else only its parents may trace it
        with ThreadPoolExecutor(1) as worker:  # one, so that its calls have the same numbers each time
            tids = (threading.get_native_id(), worker.submit(threading.get_native_id).result())
            theirs.send(json.dumps(tids).encode())
            if theirs.recv(1):
                work(worker)

    with ours:
        child = fork(begin, log)
        theirs.close()
        yield child, json.loads(ours.recv(100)), lambda: ours.send(b".")


@contextmanager
def _attached(*options: str) -> Iterator[None]:
    """Wait until it is attached; at the end, for its own end, which follows that of the traced."""
    tracer = subprocess.Popen(["strace", *options], stderr=subprocess.PIPE, text=True)
    assert tracer.stderr
    first = tracer.stderr.readline()
    if "attached" not in first:
        raise PermissionError(first + tracer.communicate()[1])
    yield
    tracer.communicate()


def untraceable() -> str:
    """Why `strace` cannot do it on this machine, "" when it can."""
    if not shutil.which("strace"):
        return "strace is not installed"
    with _waiting(lambda worker: None, Path(os.devnull)) as (child, tids, go):
        try:
            with _attached("-e", "inject=write:error=EIO", "-o", os.devnull, "-p", str(tids[0])):
                go()
                ended(child)
        except PermissionError as refused:
            go()
            ended(child)
            return f"strace may not trace here: {refused}".strip()
    return ""


def can_fail(point: Point, what: str) -> bool:
    """Whether a disk can make this call fail."""
    return what in {KILL, POWER, CLOCK} or (point.on_file and not point.call.startswith(UNFAILING))


LAYERS: dict[str, Callable[[], Layer]] = {"inside": Inside, "strace": Traced}
FAULTS = {"inside": (KILL, POWER, *ERRORS, CLOCK), "strace": (KILL, *ERRORS)}
