"""Files on the disk: read whole, replaced whole, or refused with the reason.

A write goes to a new file in the same folder that then takes the old one's name, so that nobody ever
sees half a file. The new file has the old one's mode, owner and extended attributes where that is
possible. Other hard links of the old file keep the old content: a link to a file outside the
workspace must not carry a write out of it.
"""

import errno
import os
import stat
import threading
import time
from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from secrets import token_hex

from agls.engine.not_text import LargeFile
from agls.engine.ports import Stale, WorkspaceError
from agls.frozen import frozen
from agls.workspace.handles import check_regular, folder_beneath, open_beneath, opened
from agls.workspace.paths import ResolvedPath
from agls.workspace.texts import hash_of
from agls.workspace.trash import Trash
from agls.workspace.walker import TEMPORARY

_CHUNK = 1 << 20
_AT_ONCE = getattr(os, "RWF_NOWAIT", 0)  # Linux: read only what is in memory
_COMMIT = threading.Lock()  # between two writers of this process, the check and the rename are one step

_ABANDONED = 60.0  # seconds after which a temporary file has no writer any more
_NO_LINKS = {errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK}  # file systems without hard links

_REASONS = {
    errno.ENOENT: "does not exist",
    errno.ENOTDIR: "cannot be there: a part of its path is a file, not a folder",
    errno.EISDIR: "is a folder, not a file",
    errno.ELOOP: "is a loop of links, or became a link just now",
    errno.ENXIO: "is not a regular file (a device, a pipe or a socket)",
    errno.EACCES: "may not be accessed: permission denied",
    errno.EPERM: "may not be accessed: permission denied",
    errno.EROFS: "is on a read-only file system",
    errno.ENAMETOOLONG: "has a name that is too long",
}


@frozen
class DiskFile:
    """A file as the disk held it. `stamp` changes whenever the file may have changed."""

    data: bytes
    mode: int
    stamp: tuple[int, ...]

    @property
    def hash(self) -> str:
        """The SHA-256 of the bytes, in hex."""
        return hash_of(self.data)


@contextmanager
def explained(shown: str, *, written: str = "") -> Generator[None, None, None]:
    """Turn the system's errors into `WorkspaceError`s about the path `shown`; `written` is its place."""
    try:
        yield
    except OSError as error:
        if error.errno == errno.ENOENT and str(error.filename).startswith("/"):  # not below: a root itself
            gone = (
                f"The folder {error.filename} is gone, and {shown} with it. Ask the user what became of it."
            )
            raise WorkspaceError(gone) from error
        from agls.disk_space import why_full  # noqa: PLC0415 - a disk is seldom full

        reason = _REASONS.get(error.errno or 0, f"cannot be used: {error.strerror or error}")
        if written and (full := why_full(error, Path(written).parent)):
            reason = f"cannot be written: {full}. Free some space there; nothing was changed"
        raise WorkspaceError(f"{shown} {reason}.") from error


def check_size(shown: str, size: int, max_bytes: int) -> None:
    """Check that a file of this size may be read whole. **Raises** `LargeFile`."""
    if size > max_bytes:
        raise LargeFile(
            f"{shown} has {size:,} bytes; the limit is {max_bytes:,}. "
            "Search in it, or look at a part of it with a command."
        )


def stamp_of(status: os.stat_result) -> tuple[int, ...]:
    """Return a stamp that changes whenever the file may have changed."""
    return (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)


def read_stored(target: ResolvedPath, max_bytes: int) -> DiskFile:
    """Return the file's bytes. **Raises** `WorkspaceError` with the reason, and for more than `max_bytes`."""
    with explained(target.place.shown), parent_folder(target) as folder:
        return _read(target, folder, max_bytes)


def find_stored(target: ResolvedPath, max_bytes: int) -> DiskFile | None:
    """Return the file's bytes, `None` when there is no file. **Raises** like `read_stored`."""
    with explained(target.place.shown):
        try:
            with parent_folder(target) as folder:
                return _read(target, folder, max_bytes)
        except FileNotFoundError:
            return None


def is_settled(stamp: tuple[int, ...]) -> bool:
    """Return whether the stamp is final: the last change is older than the resolution of the clock."""
    return time.time_ns() - max(stamp[-2:]) > 2_000_000_000


def find_cached(target: ResolvedPath, max_bytes: int) -> DiskFile | None:
    """Return the file when the system has all of it in memory, and it is not larger; else `None`.

    This waits for no disk, but for what looking up a path may take.
    """
    if not _AT_ONCE:
        return None
    name = target.parts[-1:]
    try:
        with parent_folder(target) as folder, opened(open_beneath(folder, name, os.O_RDONLY)) as handle:
            status = check_regular(handle)
            data = bytearray(min(status.st_size, max_bytes) + 1)
            if os.preadv(handle, [data], 0, _AT_ONCE) != status.st_size or status.st_size > max_bytes:
                return None
    except (OSError, WorkspaceError):  # also of file systems that cannot say what is in memory
        return None
    return DiskFile(bytes(data[:-1]), stat.S_IMODE(status.st_mode), stamp_of(status))


def find_stamp(target: ResolvedPath) -> tuple[int, ...] | None:
    """Return the stamp of a file that could be read, `None` when it could not."""
    try:
        with parent_folder(target) as folder:
            return stamp_of(os.stat(target.parts[-1], dir_fd=folder, follow_symlinks=False))
    except OSError:
        return None


def replace_stored(target: ResolvedPath, data: bytes, before: DiskFile | None, mode: int = 0o666) -> None:
    """Make the file hold `data`, when it still is as it was `before` (`None`: absent).

    A new file gets this `mode`, as far as the umask lets it; missing folders are made.

    **Raises** `Stale` when somebody else changed or made the file, and `WorkspaceError` when the disk
    refuses; nothing is changed then, and nothing is left over.
    """
    shown, temporary = target.place.shown, f"{TEMPORARY}{os.getpid()}-{token_hex(8)}"
    with (
        explained(shown, written=target.place.path),
        parent_folder(target, create=before is None) as folder,
    ):
        try:
            with opened(open_new(folder, temporary, 0o600 if before else mode)) as handle:
                if before:
                    check_writable(target, folder, before.mode)
                    copy_attributes(target, folder, handle)
                _fill(handle, data)
            with _COMMIT:
                _take_name(target, folder, temporary, before)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary, dir_fd=folder)
        with opened(open_beneath(folder, (), os.O_RDONLY | os.O_DIRECTORY)) as readable:
            os.fsync(readable)


def remove_stored(target: ResolvedPath, before: DiskFile, trash: Trash | None = None) -> bool:
    """Remove the file, when it still is as it was `before`; into the `trash`, where it has a place.

    **Returns** whether it is in the trash. **Raises** `Stale` and `WorkspaceError`.
    """
    name = target.parts[-1]
    with explained(target.place.shown), parent_folder(target) as folder, _COMMIT:
        _check_unchanged(target, folder, before)
        trashed = trash is not None and trash.take(folder, name, target.place.path)
        if not trashed:
            os.unlink(name, dir_fd=folder)
    return trashed


def remove_leftover(target: ResolvedPath) -> bool:
    """Remove what a write left behind when its process died; whether it was that, or old enough to be."""
    name = target.parts[-1]
    with explained(target.place.shown), parent_folder(target) as folder:
        age = time.time() - os.stat(name, dir_fd=folder, follow_symlinks=False).st_mtime
        gone = age > _ABANDONED or _is_of_the_dead(name)
        if gone:
            os.unlink(name, dir_fd=folder)
    return gone


def _is_of_the_dead(name: str) -> bool:
    """Return whether the process that made this temporary file is known to be gone."""
    owner, known, _ = name.removeprefix(TEMPORARY).partition("-")
    try:
        os.kill(int(owner), 0)
    except ProcessLookupError:
        return bool(known)
    except (PermissionError, OverflowError, ValueError):
        return False
    return False


def parent_folder(target: ResolvedPath, *, create: bool = False) -> AbstractContextManager[int]:
    """Open the folder of a file. **Raises** `OSError`."""
    if not target.parts:
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    return folder_beneath(target.root.real, target.parts[:-1], create=create)


def _read(target: ResolvedPath, folder: int, max_bytes: int) -> DiskFile:
    with opened(open_beneath(folder, target.parts[-1:], os.O_RDONLY)) as handle:
        status = check_regular(handle)
        check_size(target.place.shown, status.st_size, max_bytes)
        chunks: list[bytes] = []
        left = max_bytes + 1
        size = max(_CHUNK, status.st_size + 1)  # in one piece where the system gives that: no copy is made
        while left > 0 and (chunk := os.read(handle, min(left, size))):
            chunks.append(chunk)
            left -= len(chunk)
            size = _CHUNK
    check_size(target.place.shown, max_bytes + 1 - left, max_bytes)  # it grew, or lied about its size
    return DiskFile(b"".join(chunks), stat.S_IMODE(status.st_mode), stamp_of(status))


def open_new(folder: int, name: str, mode: int) -> int:
    """Open a new file for writing."""
    return open_beneath(folder, (name,), os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)


def check_writable(target: ResolvedPath, folder: int, mode: int) -> None:
    """Check that a file with this mode may be written. **Raises** `WorkspaceError`."""
    name = target.parts[-1]
    if not mode & 0o222 or not os.access(name, os.W_OK, dir_fd=folder, effective_ids=True):
        raise WorkspaceError(
            f"{target.place.shown} is read-only (mode {mode:04o}). Change its mode first if you must."
        )


def copy_attributes(target: ResolvedPath, folder: int, copy: int) -> None:
    """Give the copy the owner, the attributes and the mode of the file, as far as that is possible."""
    with opened(open_beneath(folder, target.parts[-1:], os.O_RDONLY)) as original:
        status = check_regular(original)
        with suppress(PermissionError):
            os.fchown(copy, status.st_uid, status.st_gid)
        for name in os.listxattr(original) if hasattr(os, "listxattr") else ():
            with suppress(OSError):  # some need privileges, some are refused by this file system
                os.setxattr(copy, name, os.getxattr(original, name))
        os.fchmod(copy, stat.S_IMODE(status.st_mode))


def _fill(handle: int, data: bytes) -> None:
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(handle, rest[:_CHUNK]) :]
    os.fsync(handle)


def _take_name(target: ResolvedPath, folder: int, temporary: str, before: DiskFile | None) -> None:
    name, shown = target.parts[-1], target.place.shown
    if before is None:
        try:
            _take_new_name(folder, temporary, name)
        except FileExistsError:
            raise Stale(f"{shown} exists already. Read it, then change it.") from None
        return
    _check_unchanged(target, folder, before)
    os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)


def _check_unchanged(target: ResolvedPath, folder: int, before: DiskFile) -> None:
    shown = target.place.shown
    try:
        is_same = _holds(target, folder, before.data)
    except (FileNotFoundError, WorkspaceError):
        raise Stale(f"{shown} was removed or changed in the meantime. Read it again.") from None
    if not is_same:
        raise Stale(f"{shown} was changed in the meantime. Read it again.")


def _holds(target: ResolvedPath, folder: int, data: bytes) -> bool:
    """Return whether the file holds these bytes, piece by piece. **Raises** `WorkspaceError`."""
    with opened(open_beneath(folder, target.parts[-1:], os.O_RDONLY)) as handle:
        check_regular(handle)
        at = 0
        while chunk := os.read(handle, _CHUNK):
            if chunk != data[at : at + len(chunk)]:
                return False
            at += len(chunk)
    return at == len(data)


def _take_new_name(folder: int, temporary: str, name: str) -> None:
    try:
        os.link(temporary, name, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        os.close(open_new(folder, name, 0o600))  # takes the name, so that the rename replaces only this
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
