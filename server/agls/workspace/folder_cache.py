"""The names in folders, read again only when a folder changed: half of a walk's time goes into reading them.

This module is used in isolated programs: it imports nothing but the standard library.
"""

import os
import time
from typing import NamedTuple

MOST = 200_000  # names that are remembered, about 15 MB
_SETTLED = 2_000_000_000  # nanoseconds: coarser no file system's clock is


class Entries(NamedTuple):
    """The names of the files and of the subfolders in a folder; links and other things are left out."""

    files: tuple[str, ...]
    folders: tuple[str, ...]


class FolderCache:
    """The entries of folders by their identity and path, each as it was at a time of its last change."""

    def __init__(self, most: int = MOST) -> None:
        self._most, self._names = most, 0
        self._known: dict[object, tuple[tuple[int, int], Entries]] = {}

    def entries(self, handle: int, parts: tuple[str, ...]) -> Entries:
        """Return the entries of the open folder, which lies at `parts`.

        A folder that changed just now is not remembered: its next change may bear the same time.

        **Raises** `OSError`.
        """
        status = os.fstat(handle)
        changed = status.st_mtime_ns, status.st_ctime_ns
        identity = status.st_dev, status.st_ino, parts
        known = self._known.get(identity)
        if known and known[0] == changed:
            return known[1]
        found = _read(handle)
        if time.time_ns() - max(changed) > _SETTLED:
            self._remember(identity, changed, found)
        return found

    def _remember(self, identity: object, changed: tuple[int, int], found: Entries) -> None:
        self._names += len(found.files) + len(found.folders) + 1
        if self._names > self._most:
            self._known.clear()
            self._names = 0
            return
        self._known[identity] = changed, found


def _read(handle: int) -> Entries:
    with os.scandir(handle) as entries:
        found = list(entries)
    files = tuple([entry.name for entry in found if entry.is_file(follow_symlinks=False)])
    if len(files) == len(found):
        return Entries(files, ())
    return Entries(files, tuple(entry.name for entry in found if entry.is_dir(follow_symlinks=False)))
