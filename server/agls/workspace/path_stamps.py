"""What was at some paths when they were looked at, and whether it is still so: without opening anything."""

import os
import stat
import time
from collections import deque
from collections.abc import Callable
from typing import Generic, TypeVar

from agls.workspace.files import is_settled, stamp_of

Stamp = tuple[int, ...] | None
Found = TypeVar("Found")
COARSE = 1_000_000  # nanoseconds: a file system that keeps times no finer may keep only seconds
TICK = 100_000_000  # nanoseconds: of a fine time, much longer than between two ticks of a kernel's clock


class PathStamps:
    """The state of all paths that were looked at. A folder's changes when a name comes to it or goes."""

    def __init__(self) -> None:
        self._stamps: dict[str, Stamp] = {}
        self._is_final = False  # whether no later change can leave these stamps as they are

    def exists(self, path: str) -> bool:
        """Return whether anything is at this path. What would change that is looked at from now on."""
        here = path
        while (stamp := _stamp_at(here)) is None:
            if os.path.islink(here):  # noqa: PTH114 - a run looks at many; what it leads to may come
                self._note(here, None)
            above = here.rpartition("/")[0]
            if not above:
                return False
            here = above
        self._note(here, stamp)
        return here == path

    def add(self, path: str) -> None:
        """Look at a path, whatever is there."""
        self._note(path, _stamp_at(path))

    def is_current(self) -> bool:
        """Return whether everything that was looked at is as it was then."""
        for path, stamp in self._stamps.items():
            if stamp != _stamp_at(path) or not (self._is_final or stamp is None or _is_final(stamp)):
                return False
        self._is_final = True
        return True

    def _note(self, path: str, stamp: Stamp) -> None:
        self._is_final = False
        self._stamps.setdefault(path, stamp)


class LooksAtPaths(Generic[Found]):
    """What the last looks found, each for as long as nothing changed at the paths that it looked at."""

    def __init__(self, remembered: int) -> None:
        self._known: deque[tuple[object, Found, PathStamps]] = deque(maxlen=remembered)

    def get(self, key: object, look: Callable[[PathStamps], Found]) -> Found:
        """Return what the look for an equal key found, which is repeated when something changed."""
        for known in self._known:
            if known[0] == key:
                if known[2].is_current():
                    return known[1]
                self._known.remove(known)
                break
        stamps = PathStamps()
        found = look(stamps)
        self._known.append((key, found, stamps))
        return found


def _is_final(stamp: tuple[int, ...]) -> bool:
    """Return whether no later change can leave this stamp as it is."""
    latest = max(stamp[-2:])
    if latest % COARSE:
        return time.time_ns() - latest > TICK
    return is_settled(stamp)


def _stamp_at(path: str) -> Stamp:
    """Return the state of what is at a path, links followed; `None` for nothing."""
    try:
        status = os.stat(path)  # noqa: PTH116 - each run asks for several
    except (OSError, ValueError):
        return None
    return (
        stamp_of(status)
        if not stat.S_ISDIR(status.st_mode)
        else (status.st_ino, status.st_mtime_ns, status.st_ctime_ns)
    )
