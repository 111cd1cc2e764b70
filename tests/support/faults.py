"""Faults at the N-th call: the process dies before it, power or the call fails, or the clock is set back.

The calls that change what is on the disk or start a process are replaced in this process; so it needs no
privilege. Only regular files count: what goes through pipes and sockets is nobody's data.
"""

import builtins
import errno
import os
import signal
import stat
import subprocess
import threading
import time
from collections.abc import Callable
from typing import Any

from agls.stores import journal
from support.power_cut import PowerCut

KILL, POWER, CLOCK = "kill", "power", "clock"
BACK = 3600.0  # seconds by which the clock is set back
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EDQUOT": errno.EDQUOT}
ON_FILES = ("write", "fsync", "fdatasync", "ftruncate")  # their first argument is a descriptor
FLUSHES = ("fsync", "fdatasync")
ON_NAMES = ("rename", "replace", "link", "unlink", "mkdir")
UNFAILING = ("fork", "unlink")  # an error there is none of the disk


class Faults:
    """Counts the calls from `begin` on; at number `at` (from 1; 0 for never) it does `what`."""

    def __init__(self, at: int, what: str, power: PowerCut | None = None) -> None:
        """`power` is cut where the process dies, and hears of what is flushed before."""
        self._at, self._what, self._lock = at, what, threading.Lock()
        self._power, self._is_over = power, False
        self.names: list[str] = []
        self.hit = ""

    def begin(self) -> None:
        """From here on the calls of this process are counted."""
        for name in ON_FILES:
            setattr(os, name, self._wrapped(name, getattr(os, name), on_file=True))
        setattr(journal, "_flush", os.fdatasync)  # noqa: B010 - private; it took the other one when it was loaded
        for name in ON_NAMES:
            setattr(os, name, self._wrapped(name, getattr(os, name), on_file=False))
        fork: Any = getattr(subprocess, "_fork_exec")  # noqa: B009 - private to the library
        setattr(subprocess, "_fork_exec", self._wrapped("fork", fork, on_file=False))  # noqa: B010 - the same
        os.posix_spawn = self._wrapped("fork", os.posix_spawn, on_file=False)

    def _wrapped(self, name: str, call: Callable[..., Any], *, on_file: bool) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            if self._power and self._is_over:
                return call(*arguments, **options)
            if not on_file or stat.S_ISREG(os.fstat(arguments[0]).st_mode):
                self._count(name)
            result = call(*arguments, **options)
            if self._power and name in FLUSHES:
                self._power.flushed(arguments[0])
            return result

        return counted

    def _count(self, name: str) -> None:
        with self._lock:
            self.names.append(name)
            if len(self.names) != self._at:
                return
            self.hit = name
            if self._what == POWER and self._power:
                self._is_over = True  # what it does itself is not counted
                self._power.happen()
            if self._what in {KILL, POWER}:
                os.kill(os.getpid(), signal.SIGKILL)
            if self._what == CLOCK:
                told = time.time
                time.time = lambda: told() - BACK
            elif name not in UNFAILING:
                code = ERRORS[self._what]
                raise builtins.OSError(code, os.strerror(code))
