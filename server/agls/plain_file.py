"""Files that somebody else wrote, read without waiting: a pipe or a device in the place of one is refused."""

import os
from errno import EINVAL
from stat import S_ISREG

_READ = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def read_plain(path: str | os.PathLike[str], most: int) -> bytes:
    """Return the beginning of a regular file, no more than `most` bytes. **Raises** `OSError`."""
    handle = os.open(path, _READ)
    with os.fdopen(handle, "rb") as stream:
        if not S_ISREG(os.fstat(handle).st_mode):
            raise OSError(EINVAL, "it is not a plain file", os.fspath(path))
        return stream.read(most)


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Return whether something in a folder is one, too; a link in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False
