"""The few ways in which the stores touch the disk: private, never through a link, whole or not at all."""

import os
from pathlib import Path
from uuid import uuid4

_CHUNK = 1 << 20  # bytes per write: other threads get their turn in between
# Links are not followed, and a pipe in place of a file does not make us wait.
_SAFELY = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
READ = os.O_RDONLY | _SAFELY
APPEND = os.O_RDWR | os.O_APPEND | _SAFELY
WRITE = os.O_RDWR | os.O_CREAT | _SAFELY
CREATE = APPEND | os.O_CREAT | os.O_EXCL
PRIVATE = 0o600
_LOCKS = Path("/proc/locks")
_UNFINISHED = "new-"


def make_private(folder: Path) -> None:
    """Make the folder (durably) when it is not there, and close it to everybody else.

    **Raises** `OSError`.
    """
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flush_folder(folder.parent)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def write_new(path: Path, data: bytes) -> None:
    """Write a new private file with this content, on the disk when this returns.

    **Raises** `OSError`, leaving no file.
    """
    fd = os.open(path, CREATE, PRIVATE)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest[:_CHUNK]) :]
        os.fsync(fd)
    except OSError:
        path.unlink()
        raise
    finally:
        os.close(fd)


def replace_whole(path: Path, data: bytes) -> None:
    """Make this the content of the file, wholly or not at all, for the user only. **Raises** `OSError`."""
    sweep(path.parent)
    fresh = unfinished(path.parent)
    write_new(fresh, data)
    try:
        fresh.replace(path)
    except OSError:
        fresh.unlink()
        raise


def unfinished(folder: Path) -> Path:
    """Return a name for a file that is not whole yet; it contains the process that writes it."""
    return folder / f"{_UNFINISHED}{os.getpid()}-{uuid4().hex}"


def sweep(*folders: Path) -> None:
    """Remove the unfinished files of processes that are gone. **Raises** `OSError`."""
    for folder in folders:
        for path in folder.glob(f"{_UNFINISHED}*"):
            owner = path.name.removeprefix(_UNFINISHED).partition("-")[0]
            if not (owner.isdecimal() and _is_alive(int(owner))):
                path.unlink(missing_ok=True)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def read_all(fd: int) -> bytes:
    """Return the whole content of an open file. **Raises** `OSError`."""
    pieces: list[bytes] = []
    while piece := os.read(fd, os.fstat(fd).st_size + 1):
        pieces.append(piece)
    return b"".join(pieces)


def flush_folder(folder: Path) -> None:
    """Make the names in this folder survive a power cut. **Raises** `OSError`."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def locked_inodes() -> set[int] | None:
    """Return the files on which a process holds a `flock`; `None` where that is not known (proc(5))."""
    try:
        lines = _LOCKS.read_text("ascii").splitlines()
    except OSError:
        return None
    return {
        int(line.split()[5].rpartition(":")[2]) for line in lines if " FLOCK " in line and "->" not in line
    }
