"""Opening files beneath a folder, without following any link on the way.

Links are resolved by `paths.py` before; exactly the path that was judged is opened, or nothing: a link that
appears in between makes the opening fail.
"""

import ctypes
import errno
import os
import stat
from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache

O_PATH = getattr(os, "O_PATH", os.O_RDONLY)  # Linux; elsewhere a folder must be readable to be passed
_FOLDER = O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_SYS_OPENAT2 = 437  # the same on every architecture but Alpha
_RESOLVE = 0x02 | 0x04 | 0x08  # NO_MAGICLINKS, NO_SYMLINKS, BENEATH: openat2(2)
_PATH_MAX = 4096


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


def open_beneath(folder: int, parts: Sequence[str], flags: int, mode: int = 0) -> int:
    """Return a new descriptor of `parts` beneath the open `folder`.

    Never blocks on a FIFO or a terminal. `parts` are names, without `..`.

    **Raises** `OSError`; never leaves the folder.
    """
    path = os.fsencode("/".join(parts)) or b"."
    if os.O_CREAT & flags == 0 and has_openat2() and len(path) < _PATH_MAX:
        return _openat2(folder, path, _safe(flags))
    return _walk(folder, parts, flags, mode)


def _safe(flags: int) -> int:
    calm = 0 if flags & O_PATH else os.O_NOCTTY | os.O_NONBLOCK  # openat2 takes them only without O_PATH
    return flags | calm | os.O_NOFOLLOW | os.O_CLOEXEC


def _walk(folder: int, parts: Sequence[str], flags: int, mode: int) -> int:
    with opened(os.dup(folder)) as here:
        for name in parts[:-1]:
            step = os.open(name, _FOLDER, dir_fd=here)
            os.dup2(step, here, inheritable=False)
            os.close(step)
        return os.open(parts[-1] if parts else ".", _safe(flags), mode, dir_fd=here)


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _openat2(folder: int, path: bytes, flags: int) -> int:
    how = _OpenHow(flags, 0, _RESOLVE)
    handle = _libc().syscall(_SYS_OPENAT2, folder, path, ctypes.byref(how), ctypes.sizeof(how))
    if handle < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code), os.fsdecode(path))
    return handle


@cache
def has_openat2() -> bool:
    """Return whether this kernel (and the filters of its calls) has openat2."""
    here = os.open("/", _FOLDER)
    try:
        os.close(_openat2(here, b".", _FOLDER))
    except OSError:
        return False
    finally:
        os.close(here)
    return True


@contextmanager
def opened(handle: int) -> Generator[int, None, None]:
    """Lend the descriptor, and close it at the end."""
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def folder_beneath(base: str, parts: Sequence[str], *, create: bool = False) -> Generator[int, None, None]:
    """Open the folder `parts` beneath the absolute folder `base`, and close it at the end.

    With `create`, missing folders are made, and removed again when the body raises.

    **Raises** `OSError`.
    """
    made: list[Sequence[str]] = []
    with opened(os.open(base, _FOLDER)) as root:
        try:
            if create:
                made.extend(_make_folders(root, parts))
            with opened(open_beneath(root, parts, _FOLDER)) as folder:
                yield folder
        except BaseException:
            for folder_parts in reversed(made):
                with suppress(OSError):
                    _remove_folder(root, folder_parts)
            raise


def remove_empty_folders(base: str, parts: Sequence[str], fewest: int) -> None:
    """Remove the folder `parts` beneath `base` and those above it, as long as they are empty.

    Those of fewer than `fewest` parts stay.
    """
    with suppress(OSError), opened(os.open(base, _FOLDER)) as root:  # one that holds something ends it
        for depth in range(len(parts), max(fewest, 1) - 1, -1):
            _remove_folder(root, parts[:depth])


def _remove_folder(root: int, parts: Sequence[str]) -> None:
    with opened(open_beneath(root, parts[:-1], _FOLDER)) as parent:
        os.rmdir(parts[-1], dir_fd=parent)


def _make_folders(root: int, parts: Sequence[str]) -> Iterator[Sequence[str]]:
    for depth in range(1, len(parts) + 1):
        with opened(open_beneath(root, parts[: depth - 1], _FOLDER)) as parent:
            try:
                os.mkdir(parts[depth - 1], dir_fd=parent)
            except FileExistsError:
                continue
        yield parts[:depth]


def check_regular(handle: int) -> os.stat_result:
    """Return the `fstat` of an open regular file. **Raises** `IsADirectoryError` or `OSError` (`ENXIO`)."""
    status = os.fstat(handle)
    if stat.S_ISDIR(status.st_mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if not stat.S_ISREG(status.st_mode):
        raise OSError(errno.ENXIO, "not a regular file")
    return status
