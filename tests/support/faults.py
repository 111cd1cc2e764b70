"""Faults at the N-th call to the system: the process dies before it, it fails, or the clock is set back.

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

KILL, CLOCK = "kill", "clock"
BACK = 3600.0  # seconds by which the clock is set back
ERRORS = {"ENOSPC": errno.ENOSPC, "EIO": errno.EIO, "EDQUOT": errno.EDQUOT}
ON_FILES = ("write", "fsync", "fdatasync", "ftruncate")  # their first argument is a descriptor
ON_NAMES = ("rename", "replace", "link", "unlink", "mkdir")
UNFAILING = ("fork", "unlink")  # an error there is none of the disk


class Faults:
    """Counts the calls from `begin` on; at number `at` (from 1; 0 for never) it does `what`."""

    def __init__(self, at: int, what: str) -> None:
        self._at, self._what, self._lock = at, what, threading.Lock()
        self.names: list[str] = []
        self.hit = ""

    def begin(self) -> None:
        """From here on the calls of this process are counted."""
        for name in ON_FILES:
            setattr(os, name, self._wrapped(name, getattr(os, name), on_file=True))
        for name in ON_NAMES:
            setattr(os, name, self._wrapped(name, getattr(os, name), on_file=False))
        fork: Any = getattr(subprocess, "_fork_exec")  # noqa: B009 - private to the library
        setattr(subprocess, "_fork_exec", self._wrapped("fork", fork, on_file=False))  # noqa: B010 - the same
        os.posix_spawn = self._wrapped("fork", os.posix_spawn, on_file=False)

    def _wrapped(self, name: str, call: Callable[..., Any], *, on_file: bool) -> Callable[..., Any]:
        def counted(*arguments: Any, **options: Any) -> Any:
            if not on_file or stat.S_ISREG(os.fstat(arguments[0]).st_mode):
                self._count(name)
            return call(*arguments, **options)

        return counted

    def _count(self, name: str) -> None:
        with self._lock:
            self.names.append(name)
            if len(self.names) != self._at:
                return
            self.hit = name
            if self._what == KILL:
                os.kill(os.getpid(), signal.SIGKILL)
            if self._what == CLOCK:
                told = time.time
                time.time = lambda: told() - BACK
            elif name not in UNFAILING:
                code = ERRORS[self._what]
                raise builtins.OSError(code, os.strerror(code))
