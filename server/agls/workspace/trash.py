"""The trash of the user's desktop, where there is one (freedesktop.org, Trash Specification 1.0; macOS)."""

import os
import stat
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from urllib.parse import quote

from agls.frozen import frozen
from agls.workspace.handles import O_PATH, open_beneath, opened

_FOLDER = O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_NAMES = 100  # tries for a free name


@frozen
class _Bin:
    """A folder that is a trash; paths in its notes are relative to `top` ("": they are absolute)."""

    path: Path
    top: str = ""


class Trash:
    """Finds the trash for a file, and moves the file there. None is ever made: a desktop makes its own."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        home = environment.get("HOME", "")
        data = environment.get("XDG_DATA_HOME", "") or (f"{home}/.local/share" if home else "")
        self._is_mac = sys.platform == "darwin"
        self._home = f"{home}/.Trash" if self._is_mac and home else f"{data}/Trash" if data else ""

    def take(self, folder: int, name: str, path: str) -> bool:
        """Move the file `name` of an open folder, whose absolute path is `path`, into the trash.

        **Returns** whether it is there: it is not where there is no trash on its file system, or one that
        cannot be used. The file is where it was then.
        """
        device = os.fstat(folder).st_dev
        for found in self._bins(path, device):
            with suppress(OSError), opened(os.open(found.path, _FOLDER)) as trash:
                if _is_ours(os.fstat(trash), device) and self._put(folder, name, path, found, trash):
                    return True
        return False

    def _bins(self, path: str, device: int) -> Iterator[_Bin]:
        if self._home:
            yield _Bin(Path(self._home))
        if self._is_mac:
            return
        user = os.getuid()
        top = _mount_of(Path(path).parent, device)
        with suppress(OSError):
            shared = os.lstat(top / ".Trash")
            if stat.S_ISDIR(shared.st_mode) and shared.st_mode & stat.S_ISVTX:
                yield _Bin(top / ".Trash" / str(user), str(top))
        yield _Bin(top / f".Trash-{user}", str(top))

    def _put(self, folder: int, name: str, path: str, found: _Bin, trash: int) -> bool:
        if self._is_mac:
            return _taken(folder, name, trash)
        for part in ("files", "info"):
            with suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=trash)
        written = os.path.relpath(path, found.top) if found.top else path
        when = time.strftime("%Y-%m-%dT%H:%M:%S", time.localtime())
        note = f"[Trash Info]\nPath={quote(os.fsencode(written))}\nDeletionDate={when}\n"
        with (
            opened(open_beneath(trash, ("files",), _FOLDER)) as files,
            opened(open_beneath(trash, ("info",), _FOLDER)) as notes,
        ):
            for free in _free_names(name):
                if _noted(notes, f"{free}.trashinfo", note):
                    try:
                        _move(folder, name, files, free)
                        return True
                    except FileExistsError:
                        os.unlink(f"{free}.trashinfo", dir_fd=notes)
                    except OSError:
                        os.unlink(f"{free}.trashinfo", dir_fd=notes)
                        raise
        return False


def _is_ours(status: os.stat_result, device: int) -> bool:
    return status.st_dev == device and status.st_uid == os.getuid()


def _mount_of(folder: Path, device: int) -> Path:
    """Return the top folder of the file system on which a folder is."""
    top = folder
    with suppress(OSError):
        while top.parent != top and top.parent.stat().st_dev == device:
            top = top.parent
    return top


def _taken(folder: int, name: str, trash: int) -> bool:
    for free in _free_names(name):
        with suppress(FileExistsError):
            _move(folder, name, trash, free)
            return True
    return False


def _free_names(name: str) -> Iterator[str]:
    stem, dot, end = name.rpartition(".")
    stem, end = (stem, f"{dot}{end}") if stem else (name, "")
    yield name
    yield from (f"{stem} {number}{end}" for number in range(2, _NAMES))


def _noted(notes: int, name: str, text: str) -> bool:
    """Write a note under a name that is free. **Returns** whether it was. **Raises** `OSError`."""
    try:
        handle = os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o600, dir_fd=notes)
    except FileExistsError:
        return False
    with opened(handle):
        os.write(handle, text.encode())
    return True


def _move(folder: int, name: str, to: int, free: str) -> None:
    """Move a file; never over another one. **Raises** `OSError`."""
    os.link(name, free, src_dir_fd=folder, dst_dir_fd=to, follow_symlinks=False)
    try:
        os.unlink(name, dir_fd=folder)
    except OSError:
        os.unlink(free, dir_fd=to)
        raise
