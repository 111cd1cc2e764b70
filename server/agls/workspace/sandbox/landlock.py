"""The sandbox where bubblewrap is missing: Landlock, the kernel's own rules for files (landlock(7)).

Its rules only ever allow: nothing can be taken out of a folder that may be changed. So a folder with a
protected name in it is opened entry by entry, and in that folder itself nothing new can be made. Sockets are
closed by the filter of calls. Not covered are the modes, owners and times of files, and the names in folders.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

from agls.engine.ports import WorkspaceError
from agls.workspace.handles import opened
from agls.workspace.sandbox.mounts import View

LEAST = 3  # the first version of Landlock that keeps files from being cut off
MOST_RULES = 20_000
TOO_MANY = "Too many files lie beside those that programs obey: Landlock needs a rule for each of them."
_CREATE, _ADD = 444, 445  # the same on every architecture
_BENEATH = 1  # LANDLOCK_RULE_PATH_BENEATH
_READ_FOLDER, _REFER = 1 << 3, 1 << 13
_ON_FILES = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14  # execute, write, read, cut off
_UNREADABLE = frozenset({"hidden", "closed"})
_READING = 1 << 0 | 1 << 2 | _READ_FOLDER
_ALL = (1 << 15) - 1
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty")


class _Rules(ctypes.Structure):
    _fields_ = (
        ("files", ctypes.c_uint64),
        ("network", ctypes.c_uint64),
        ("scoped", ctypes.c_uint64),
    )


class _Beneath(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed", ctypes.c_uint64), ("folder", ctypes.c_int32))


@cache
def version() -> int:
    """Return the version of Landlock in this kernel, 0 where there is none."""
    if sys.platform != "linux":
        return 0
    return max(0, _libc().syscall(_CREATE, None, 0, 1))


def words(rules: int, filter_: int) -> tuple[str, ...]:
    """Return the beginning of a command line that enters the sandbox and then is the program behind it."""
    program = str(Path(__file__).with_name("enter_landlock.py"))
    return (sys.executable, "-I", "-S", program, str(rules), str(filter_))


def ruleset(views: Sequence[tuple[str, View]]) -> int:
    """Return the descriptor of rules for these views of the files. **Raises** `OSError`, `WorkspaceError`."""
    sizes = {3: 8, 4: 16, 5: 16}  # what older kernels know of the structure
    asked = _Rules(_ALL, 3, 3)  # all of files; no TCP; no signals and no abstract sockets to outside
    rules = _called(_CREATE, ctypes.byref(asked), sizes.get(version(), ctypes.sizeof(asked)), 0)
    try:
        for number, (path, allowed) in enumerate(_grants(views)):
            if number > MOST_RULES:
                raise WorkspaceError(TOO_MANY)
            _allow(rules, path, allowed)
    except BaseException:
        os.close(rules)
        raise
    return rules


def _grants(views: Sequence[tuple[str, View]]) -> Iterator[tuple[str, int]]:
    hidden = frozenset(path for path, view in views if view in _UNREADABLE and not _is_socket(path))
    yield "/", _READ_FOLDER
    for path in _but("/", hidden):
        yield path, _READING
    for path, view in views:
        if view not in _UNREADABLE:
            below = frozenset(each for each in hidden if each.startswith(f"{path}/"))
            yield from ((open_path, _READING) for open_path in _but(path, below))
    for path, view in views:
        if view == "writable":
            closed = frozenset(
                below for below, other in views if other != "writable" and below.startswith(f"{path}/")
            )
            for open_path in _but(path, closed):
                yield open_path, _ALL
    for device in _DEVICES:
        yield device, _ON_FILES


def _but(folder: str, closed: frozenset[str]) -> Iterator[str]:
    """Yield what together is all of a folder but for the closed paths, and what is made beside them."""
    above = {ancestor for path in closed for ancestor in map(str, Path(path).parents)}
    waiting = [folder]
    while waiting:
        path = waiting.pop()
        if path in closed:
            continue
        if path not in above:
            yield path
            continue
        try:
            with os.scandir(path) as entries:
                waiting += [entry.path for entry in entries if not entry.is_symlink()]
        except OSError:  # nobody may look into it, so nobody needs a rule for it
            continue


def _allow(rules: int, path: str, allowed: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError:  # it went away
        return
    with opened(handle):
        is_folder = stat.S_ISDIR(os.fstat(handle).st_mode)
        rule = _Beneath(allowed if is_folder else allowed & _ON_FILES, handle)
        if rule.allowed:
            _called(_ADD, rules, _BENEATH, ctypes.byref(rule), 0)


def _is_socket(path: str) -> bool:
    try:
        return stat.S_ISSOCK(os.lstat(path).st_mode)
    except OSError:
        return False


def _called(number: int, *given: object) -> int:
    done = _libc().syscall(number, *given)
    if done < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return done


@cache
def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)
