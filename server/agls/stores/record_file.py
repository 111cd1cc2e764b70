"""The file of records: one line each, chained, for the user only; it begins anew when it is full.

A line is a JSON object that begins with `previous`: the SHA-256 of the line before it, in hexadecimal,
without its line end ("" where there is none). So no line can be changed, taken out or added in between
without a trace in those behind it (`record_check.py` looks).
"""

import fcntl
import json
import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from threading import Thread

from agls.engine.vocabulary import JsonObject
from agls.redaction import without
from agls.stores.disk import APPEND, PRIVATE, make_private

PREVIOUS = "previous"
PATIENCE = 1.0  # seconds: another process writes a line in much less, but it may have been stopped
_BLOCK = 1 << 16


def digest_of(line: bytes) -> str:
    """Return what the next line has as `previous`."""
    return sha256(line).hexdigest()


def numbered(path: Path, number: int) -> Path:
    """Return the name of a file that was put aside: number 1 is the youngest."""
    return path.with_name(f"{path.name}.{number}")


class RecordFile:
    """A file of records. Several processes may write it."""

    def __init__(self, path: Path, secrets: Callable[[], Iterable[str]]) -> None:
        self._path, self._secrets = path, secrets

    def add(self, record: JsonObject, largest: int, keep: int) -> None:
        """Add a record without the secrets; a file that has `largest` bytes is put aside first.

        Of those put aside the latest `keep` stay. **Raises** `OSError`.
        """
        text = without(self._secrets(), json.dumps(record, ensure_ascii=False))
        make_private(self._path.parent)
        folder = os.open(self._path.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            is_alone = _lock(folder)
            before = _last_line(self._path) or _last_line(numbered(self._path, 1))
            link = json.dumps({PREVIOUS: digest_of(before) if before else ""})
            if is_alone and self._path.exists() and self._path.stat().st_size >= largest:
                self._put_aside(keep)
            line = f"{link[:-1]}, {text[1:]}" if record else link
            self._append(line.encode("utf-8", "replace") + b"\n")
        finally:
            os.close(folder)

    def _put_aside(self, keep: int) -> None:
        for number in range(keep, 0, -1):
            older = self._path if number == 1 else numbered(self._path, number - 1)
            if older.exists():
                older.replace(numbered(self._path, number))

    def _append(self, data: bytes) -> None:  # whole and at the end, also where another process puts it aside
        fd = os.open(self._path, APPEND | os.O_CREAT, PRIVATE)
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(fd, rest) :]
        finally:
            os.close(fd)


def _lock(folder: int) -> bool:
    """Return whether this process alone writes there: no run waits long for a process that was stopped."""
    with suppress(BlockingIOError):
        fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    waiting = Thread(
        target=fcntl.flock, args=(folder, fcntl.LOCK_EX), daemon=True
    )  # the file's end lets it go
    waiting.start()
    waiting.join(PATIENCE)
    return not waiting.is_alive()


def _last_line(path: Path) -> bytes:
    """Return the last line that is whole, without its end; nothing where there is none."""
    try:
        file = path.open("rb")
    except FileNotFoundError:
        return b""
    with file:
        place, tail = file.seek(0, os.SEEK_END), b""
        while place and tail.count(b"\n") < 2:
            size = min(_BLOCK, place)
            place = file.seek(place - size)
            tail = file.read(size) + tail
    *lines, _ = tail.split(b"\n")
    return lines[-1] if lines else b""
