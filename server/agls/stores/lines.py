"""Lines for others to read, in a private file that begins anew when it is full."""

import fcntl
import os
from collections.abc import Callable, Iterable
from pathlib import Path

from agls.redaction import without
from agls.stores.disk import APPEND, PRIVATE, make_private


def _locked(folder: int) -> bool:
    """Return whether this process alone may put files aside there.

    Nobody waits: the other may have been stopped.
    """
    try:
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


class LineFile:
    """A file of lines, for the user only. Several processes may write it."""

    def __init__(self, path: Path, secrets: Callable[[], Iterable[str]]) -> None:
        self._path, self._secrets = path, secrets

    def add(self, line: str, largest: int, keep: int) -> None:
        """Add a line without the secrets; a file that has `largest` bytes is put aside first.

        Of those put aside the latest `keep` stay (`name.1` is the youngest).

        **Raises** `OSError`.
        """
        data = without(self._secrets(), line).encode("utf-8", "replace") + b"\n"
        make_private(self._path.parent)
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            if _locked(folder) and self._path.exists() and self._path.stat().st_size >= largest:
                self._put_aside(keep)
            self._append(data)  # whole and at the end, also where another process puts it aside
        finally:
            os.close(folder)

    def _put_aside(self, keep: int) -> None:
        for number in range(keep, 0, -1):
            older = self._path if number == 1 else self._numbered(number - 1)
            if older.exists():
                older.replace(self._numbered(number))

    def _numbered(self, number: int) -> Path:
        return self._path.with_name(f"{self._path.name}.{number}")

    def _append(self, data: bytes) -> None:
        fd = os.open(self._path, APPEND | os.O_CREAT, PRIVATE)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
        finally:
            os.close(fd)
