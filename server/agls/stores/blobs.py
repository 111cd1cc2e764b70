"""Large contents (whole outputs, snapshots of files), each in a file named by the SHA-256 of its bytes."""

import asyncio
import fcntl
import hashlib
import os
import threading
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from agls.regex import regex
from agls.stores.disk import (
    PRIVATE,
    READ,
    flush_folder,
    make_private,
    read_all,
    sweep,
    unfinished,
    write_new,
)

_NAME = regex(r"[0-9a-f]{64}")
_NAMED = regex(rb"[0-9a-f]{64}")
_CHUNK = 1 << 18  # bytes of a session's file that are looked through at once
_RARELY = 86_400.0  # seconds between two collections on one machine
_SELDOM = 600.0  # seconds between two looks of one process whether it is time again
_FORGOTTEN = 3600.0  # seconds after which an unfinished file is one that a crash left behind


class BlobError(OSError):
    """The content cannot be kept or given; the message says why and what to do."""


class Blobs:
    """The contents in `<state_dir>/blobs`. The same bytes are kept once; nobody changes them.

    They are removed only by `collect`. Keeping bytes that are there already makes them young again.
    """

    def __init__(self, state_dir: Path) -> None:
        self._folder, self._sessions = state_dir / "blobs", state_dir / "sessions"
        self._swept = False
        self._quiet_until = 0.0  # monotonic: nothing can be due before

    async def keep(self, data: bytes) -> str:
        """Keep these bytes on the disk before this returns.

        **Returns** their name (64 hex digits). **Raises** `BlobError` when the disk refuses.
        """
        return await asyncio.to_thread(self._keep, data)

    async def read(self, name: str) -> bytes:
        """Return the bytes kept under this name, checked against it. **Raises** `BlobError`."""
        return await asyncio.to_thread(self._read, name)

    async def collect(self, max_age: float, max_bytes: int) -> int:
        """Remove the contents that no session names and that were not kept again for `max_age` seconds.

        When more than `max_bytes` are left, the oldest that no session names go earlier, but not within an
        hour. Works once a day, whoever asks, off the loop; cancelling stops it.

        **Returns** how many bytes were removed. **Raises** `OSError`.
        """
        if time.monotonic() < self._quiet_until:
            return 0
        stop = threading.Event()
        try:
            return await asyncio.to_thread(self._collect, max(max_age, _FORGOTTEN), max_bytes, stop)
        finally:
            stop.set()

    def _keep(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        path = self._path(name)
        try:
            self._prepare(path.parent)
            with _lock(self._folder, fcntl.LOCK_SH):
                if _holds(path, name):
                    os.utime(path)
                    return name
            fresh = unfinished(self._folder)
            write_new(fresh, data)
            _move(fresh, path)
            flush_folder(path.parent)
        except OSError as error:
            from agls.disk_space import why_full  # noqa: PLC0415 - a disk is seldom full

            why = why_full(error, self._folder) or f"{path.parent}: {error.strerror}"
            raise BlobError(f"{len(data):,} bytes cannot be kept: {why}.") from error
        return name

    def _read(self, name: str) -> bytes:
        if not _NAME.fullmatch(name):
            raise BlobError(f"{name[:80]!r} is not the name of a kept content: 64 hex digits.")
        try:
            data = _bytes(self._path(name))
        except FileNotFoundError:
            raise BlobError(f"The content {name} is not kept here (any more).") from None
        except OSError as error:
            raise BlobError(f"The content {name} cannot be read: {error.strerror}.") from error
        if hashlib.sha256(data).hexdigest() != name:
            raise BlobError(f"The content {name} is damaged on the disk and cannot be used.")
        return data

    def _collect(self, max_age: float, max_bytes: int, stop: threading.Event) -> int:
        if not self._is_due():
            self._quiet_until = time.monotonic() + _SELDOM
            return 0
        before = time.time()
        kept = self._kept()
        removed = 0
        named = self._named(stop)  # after the list: contents kept and named meanwhile are not in it
        total = sum(size for _, size, _ in kept)
        for used, size, path in kept:
            old = used < before - max_age or (total - removed > max_bytes and used < before - _FORGOTTEN)
            if stop.is_set():
                break
            if old and path.parent.name + path.name not in named and self._remove(path, used):
                removed += size
        if stop.is_set():  # it was not done: the next one may begin at once
            (self._folder / "collected").unlink(missing_ok=True)
        return removed

    def _is_due(self) -> bool:
        """Return whether there are contents and no process collected lately.

        If so, the collection counts as done now.
        """
        done = self._folder / "collected"
        with suppress(FileNotFoundError):
            if done.stat().st_mtime > time.time() - _RARELY:
                return False
        if self._folder.is_dir():
            done.touch(mode=PRIVATE)
        return self._folder.is_dir()

    def _kept(self) -> list[tuple[float, int, Path]]:
        """Return when each content was kept last (Unix time), its size and its file, the oldest first."""
        found: list[tuple[float, int, Path]] = []
        for path in list(self._folder.glob("??/*")):
            with suppress(FileNotFoundError):
                status = path.lstat()
                found.append((status.st_mtime, status.st_size, path))
        return sorted(found, key=lambda one: one[:2])

    def _named(self, stop: threading.Event) -> set[str]:
        """Return every name that stands anywhere in the file of a session, whoever wrote it there."""
        found: set[str] = set()
        for path in list(self._sessions.glob("*")):
            with suppress(FileNotFoundError), path.open("rb") as file:
                seen = b""
                while not stop.is_set() and (chunk := file.read(_CHUNK)):
                    seen = seen[-63:] + chunk  # a name may stand across two chunks
                    found.update(match.decode() for match in _NAMED.findall(seen))
        return found

    def _remove(self, path: Path, used: float) -> bool:
        """Remove a content, unless somebody kept it again in the meantime."""
        with _lock(self._folder, fcntl.LOCK_EX), suppress(FileNotFoundError):
            if path.lstat().st_mtime == used:
                path.unlink()
                return True
        return False

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:]

    def _prepare(self, folder: Path) -> None:
        make_private(self._folder)
        make_private(folder)
        if not self._swept:
            self._swept = True
            sweep(self._folder)


@contextmanager
def _lock(folder: Path, kind: int) -> Generator[None]:
    """Hold the lock under which nothing is removed between "it is there" and "it is young again"."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(fd, kind)
        yield
    finally:
        os.close(fd)


def _move(fresh: Path, path: Path) -> None:
    try:
        fresh.replace(path)
    except OSError:
        fresh.unlink()
        raise


def _holds(path: Path, name: str) -> bool:
    try:
        return hashlib.sha256(_bytes(path)).hexdigest() == name
    except FileNotFoundError:
        return False


def _bytes(path: Path) -> bytes:
    fd = os.open(path, READ)
    try:
        return read_all(fd)
    finally:
        os.close(fd)
