"""Large contents (whole outputs, snapshots of files), each in a file named by the SHA-256 of its bytes."""

import asyncio
import hashlib
import os
import re
import time
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

from aglet.stores.disk import READ, flush_folder, make_private, read_all, write_new

_NAME = re.compile(r"[0-9a-f]{64}")
_FORGOTTEN = 3600.0  # seconds after which an unfinished file is one that a crash left behind


class BlobError(Exception):
    """The content cannot be kept or given; the message says why and what to do."""


class Blobs:
    """The contents in `<state_dir>/blobs`. The same bytes are kept once; nobody changes or removes them."""

    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir / "blobs"
        self._swept = False

    async def keep(self, data: bytes) -> str:
        """Keep these bytes; their name (64 hex digits). They are on the disk when this returns.

        Raises `BlobError` when the disk refuses.
        """
        return await asyncio.to_thread(self._keep, data)

    async def read(self, name: str) -> bytes:
        """The bytes kept under this name, proved to be those. Raises `BlobError`."""
        return await asyncio.to_thread(self._read, name)

    def _keep(self, data: bytes) -> str:
        name = hashlib.sha256(data).hexdigest()
        path = self._path(name)
        try:
            self._prepare(path.parent)
            if not _holds(path, name):
                fresh = self._folder / f"new-{uuid4().hex}"
                write_new(fresh, data)
                _move(fresh, path)
                flush_folder(path.parent)
        except OSError as error:
            raise BlobError(
                f"{len(data)} bytes cannot be kept in {path.parent}: {error.strerror}."
            ) from error
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

    def _path(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:]

    def _prepare(self, folder: Path) -> None:
        make_private(self._folder)
        make_private(folder)
        if not self._swept:
            self._swept = True
            for unfinished in self._folder.glob("new-*"):
                with suppress(FileNotFoundError):
                    if unfinished.stat().st_mtime < time.time() - _FORGOTTEN:
                        unfinished.unlink()


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
