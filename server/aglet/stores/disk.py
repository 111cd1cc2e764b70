"""The few ways in which the stores touch the disk: private, never through a link, whole or not at all."""

import os
from pathlib import Path

_CHUNK = 1 << 20  # bytes per write: other threads get their turn in between
# Links are not followed, and a pipe that somebody put here does not make us wait.
_SAFELY = os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK
READ = os.O_RDONLY | _SAFELY
APPEND = os.O_RDWR | os.O_APPEND | _SAFELY
CREATE = APPEND | os.O_CREAT | os.O_EXCL
PRIVATE = 0o600
_LOCKS = Path("/proc/locks")


def make_private(folder: Path) -> None:
    """Make the folder (durably) when it is not there, and close it to everybody else. Raises `OSError`."""
    if not folder.is_dir():
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        flush_folder(folder.parent)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def write_new(path: Path, data: bytes) -> None:
    """A new private file with this content, on the disk when this returns. Raises `OSError`, leaving none."""
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


def read_all(fd: int) -> bytes:
    """The whole content of an open file. Raises `OSError`."""
    with open(fd, "rb", closefd=False) as file:
        return file.read()


def flush_folder(folder: Path) -> None:
    """Make the names in this folder survive a power cut. Raises `OSError`."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


def locked_inodes() -> set[int] | None:
    """The files that some process holds a `flock` on; `None` where the system does not tell (proc(5))."""
    try:
        lines = _LOCKS.read_text("ascii").splitlines()
    except OSError:
        return None
    return {
        int(line.split()[5].rpartition(":")[2]) for line in lines if " FLOCK " in line and "->" not in line
    }
