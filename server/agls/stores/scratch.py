"""A folder for each session, for files that nobody wants to keep: it goes with the session."""

import asyncio
import logging
import os
import shutil
from collections.abc import Generator
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from pathlib import Path

from agls.stores.disk import PRIVATE, READ, make_private
from agls.stores.rows import checked

OUTPUTS = "outputs"  # the folder in it for outputs of tools that are kept whole
_log = logging.getLogger(__name__)
_FOLDER = READ | os.O_DIRECTORY
_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_MORE = os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC


class Scratch:
    """The folders `<state_dir>/scratch/<session id>`, made when they are needed."""

    def __init__(self, state_dir: Path) -> None:
        self._state_dir, self._folder = state_dir, Path(os.path.realpath(state_dir), "scratch")

    def path(self, session_id: str) -> Path:
        """Return where the session's folder is or would be; no link but itself is on the way to it."""
        return _inside(self._folder, checked(session_id))

    async def make(self, session_id: str) -> None:
        """Make the session's folder, for its user alone, when it is not there. **Raises** `OSError`."""
        await asyncio.to_thread(self._make, self.path(session_id))

    async def keep(self, session_id: str, name: str, text: str, most: int) -> Path:
        """Keep an output whole, for the session's user and tools. **Returns** its path.

        The oldest are removed where all would have more than `most` bytes. **Raises** `OSError`.
        """
        await asyncio.to_thread(self._keep, self.path(session_id), name, text, most)
        return self.path(session_id) / OUTPUTS / name

    async def extend(self, session_id: str, name: str, data: bytes, size: int) -> str:
        """Write at the end of an output of `size` bytes; with 0 it is made anew.

        **Returns** its path, "" when it is not so long. **Raises** `OSError`.
        """
        is_done = await asyncio.to_thread(self._extend, self.path(session_id), name, data, size)
        return str(self.path(session_id) / OUTPUTS / name) if is_done else ""

    def kept(self, session_id: str, name: str) -> str | None:
        """Return an output that was kept, `None` when it is gone. To be called off the event loop."""
        try:
            with _outputs(self.path(session_id)) as folder:
                name = Path(name).name  # whatever the journal says, it is in this folder
                file = os.fdopen(os.open(name, READ, dir_fd=folder), "rb")
                with closing(file):
                    return file.read().decode("utf-8", "replace")
        except OSError:
            return None

    def share(self, session_id: str, other_id: str) -> None:
        """Give another session the outputs that this one kept, as links to the same files.

        What cannot be shared is logged, and no loss for this one. To be called off the event loop.
        """
        if not (self.path(session_id) / OUTPUTS).is_dir():
            return
        try:
            self._make_outputs(self.path(other_id))
            with _outputs(self.path(session_id)) as kept, _outputs(self.path(other_id)) as folder:
                _link_all(kept, folder)
        except OSError as problem:
            _log.warning("a fork does not get the outputs of its origin: %s", problem)

    def remove(self, session_id: str) -> None:
        """Remove the session's folder and all that is in it; links in it are not followed.

        To be called off the event loop.

        **Raises** `OSError`.
        """
        folder = self.path(session_id)
        if folder.is_symlink() or folder.is_file():
            folder.unlink()
        elif folder.is_dir():
            _open_up(folder)
            shutil.rmtree(folder)

    def _make(self, folder: Path) -> None:
        make_private(self._state_dir)
        make_private(folder.parent)
        with suppress(FileExistsError):
            folder.mkdir(mode=0o700)

    def _make_outputs(self, path: Path) -> None:
        self._make(path)
        with suppress(FileExistsError):
            (path / OUTPUTS).mkdir(mode=0o700)

    def _extend(self, path: Path, name: str, data: bytes, size: int) -> bool:
        self._make_outputs(path)
        with _outputs(path) as folder:
            if not size:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
            try:
                file = os.open(name, _MORE if size else _NEW, PRIVATE, dir_fd=folder)
            except FileNotFoundError:
                return False
            with os.fdopen(file, "ab") as stream:
                if is_as_long := os.fstat(file).st_size == size:
                    stream.write(data)
            return is_as_long

    def _keep(self, path: Path, name: str, text: str, most: int) -> None:
        data = text.encode("utf-8", "replace")
        self._make_outputs(path)
        with _outputs(path) as folder:
            _make_room(folder, most - len(data))
            with os.fdopen(os.open(name, _NEW, PRIVATE, dir_fd=folder), "wb") as file:
                file.write(data)


@lru_cache(maxsize=64)  # every run asks
def _inside(folder: Path, name: str) -> Path:
    return folder / name


@contextmanager
def _outputs(folder: Path) -> Generator[int]:
    """Open the folder of outputs: no link that a command put in its place leads anywhere else."""
    above = os.open(folder, _FOLDER)
    try:
        here = os.open(OUTPUTS, _FOLDER, dir_fd=above)
    finally:
        os.close(above)
    try:
        yield here
    finally:
        os.close(here)


def _link_all(kept: int, folder: int) -> None:
    """Link the plain files of one folder into another."""
    for entry in os.scandir(kept):
        if entry.is_file(follow_symlinks=False):
            with suppress(FileExistsError):
                os.link(entry.name, entry.name, src_dir_fd=kept, dst_dir_fd=folder, follow_symlinks=False)


def _make_room(folder: int, most: int) -> None:
    """Remove the oldest files until the others have no more than so many bytes."""
    found = [(entry.stat(follow_symlinks=False), entry.name) for entry in os.scandir(folder)]
    files = sorted((status.st_mtime_ns, status.st_size, name) for status, name in found)
    size = sum(each for _, each, _ in files)
    for _, each, name in files:
        if size <= most:
            return
        with suppress(IsADirectoryError):
            os.unlink(name, dir_fd=folder)
        size -= each


def _open_up(folder: Path) -> None:
    """Let everything below be removed: programs leave folders in which nothing may be changed."""
    folder.chmod(0o700)
    for here, names, _ in os.walk(folder):
        for below in (Path(here, name) for name in names):
            if not below.is_symlink():
                below.chmod(0o700)
