"""Witnesses: which files of a folder were opened (inotify), and what a process asked for (strace)."""

import ctypes
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path
from types import TracebackType
from typing import Self

import pytest

IN_OPEN, IN_NONBLOCK = 0x20, os.O_NONBLOCK  # inotify(7)
_EVENT = struct.Struct("iIII")
CALLS = "execve,execveat,socket,listen,bind"


class Opened:
    """The files below a folder that anybody opened while the block ran, relative to it."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._watched = folder, dict[int, Path]()
        self.names: set[str] = set()

    def __enter__(self) -> Self:
        libc = ctypes.CDLL(None, use_errno=True)
        self._handle = libc.inotify_init1(IN_NONBLOCK)
        for path in (self._folder, *(path for path in self._folder.rglob("*") if path.is_dir())):
            number = libc.inotify_add_watch(self._handle, os.fsencode(path), IN_OPEN)
            assert number > 0, os.strerror(ctypes.get_errno())
            self._watched[number] = path
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            while data := os.read(self._handle, 1 << 20):
                self._take(data)
        except BlockingIOError:
            pass
        finally:
            os.close(self._handle)

    def _take(self, data: bytes) -> None:
        at = 0
        while at < len(data):
            number, _, _, length = _EVENT.unpack_from(data, at)
            at += _EVENT.size + length
            name = data[at - length : at].rstrip(b"\0").decode()
            path = self._watched[number] / name
            if not path.is_dir():  # looking a folder up is no reading
                self.names.add(str(path.relative_to(self._folder)))


class Traced:
    """The command line that runs a program under strace, and afterwards what it did."""

    def __init__(self, folder: Path) -> None:
        self._record = folder / "strace.txt"
        self.prefix = [
            "strace",
            "-f",
            "-qq",
            "-e",
            f"trace={CALLS}",
            "-e",
            "signal=none",
            "-o",
            str(self._record),
        ]

    @property
    def programs(self) -> list[str]:
        """The programs that were started after the first one."""
        return self._lines(r"execve(?:at)?\(.*= 0$")[1:]

    @property
    def connections(self) -> list[str]:
        """The sockets that can leave the process's own machine, or be reached on it."""
        return [line for line in self._lines(r"socket\(") if "AF_UNIX" not in line]

    @property
    def ears(self) -> list[str]:
        """What was bound or listened on."""
        return self._lines(r"(?:listen|bind)\(")

    def _lines(self, pattern: str) -> list[str]:
        return [line for line in self._record.read_text().splitlines() if re.search(pattern, line)]


def needs_strace() -> None:
    """Skip where a process cannot be traced."""
    program = ["strace", "-qq", "-o", os.devnull, sys.executable, "-c", ""]
    if not shutil.which("strace") or subprocess.run(program, check=False, capture_output=True).returncode:
        pytest.skip("strace is not there, or may not trace: what was started cannot be counted")
