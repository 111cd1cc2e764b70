"""Processes that lost their keeper: this process adopts them and ends them.

A command may kill the keeper above it. A process that it started and took out of its session would then
belong to the system's first process and live on. Where we `adopt` (in `agls`, not in programs that use the
library), such a process becomes our child, so every child that we did not start ourselves is one.
"""

import ctypes
import os
import signal
import sys
from contextlib import suppress
from pathlib import Path

ours: set[int] = set()  # the children that this process started itself
_PR_SET_CHILD_SUBREAPER = 36  # prctl(2)
_adopting: list[int] = []  # the process that adopts: a forked one does not


def adopt() -> bool:
    """Become the parent of every process below this one that loses its own.

    **Returns** whether that works here.
    """
    if sys.platform != "linux":
        return False
    worked = ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0
    _adopting[:] = [os.getpid()] if worked else []
    return worked


def adopts() -> bool:
    """**Returns** whether this process is the one that adopts."""
    return _adopting == [os.getpid()]


def end_orphans() -> bool:
    """Kill the orphans that were adopted, and reap the dead.

    Their own children are adopted in turn, so this is called again until none is left.

    **Returns** whether some are left to look after.
    """
    if not adopts():
        return False
    orphans = _children() - ours
    for orphan in orphans:
        with suppress(OSError):
            os.kill(orphan, signal.SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(orphan, os.WNOHANG)
    return bool(orphans)


def _children() -> set[int]:
    found: set[int] = set()
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            found.update(map(int, (task / "children").read_text().split()))
    return found
