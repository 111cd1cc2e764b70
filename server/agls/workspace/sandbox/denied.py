"""The files that rules deny to read or to change, as far as they exist: the sandbox keeps commands from them.

What a command reads stands in no text when a script does it. So what is denied is closed where it lies. A
folder that is denied as a whole is one mount. Folders are read again only when they changed.
"""

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from glob import iglob
from itertools import islice
from os.path import realpath
from pathlib import Path
from typing import Literal, NamedTuple

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.hidden_files import Hiding

MOST_FOLDERS = 200_000
MOST_FILES = 512
TOO_MANY = (
    "Rules deny more than {} files of the workspace one by one, too many to close each for a command. "
    "Deny the folders that they are in, as in read(secrets/**)."
)
SETTLED = 2_000_000_000  # nanoseconds: no file system's clock is coarser
OBJECTS = "/.git/objects"  # thousands of folders, with nothing in them that has a name
Denial = Literal["closed", "readable"]


@frozen
class DenyRules:
    """What may not be read (`hidden`) and not be changed (`locked`) below the roots.

    `outside` are patterns of absolute paths that may not be read, wherever they are.
    """

    hidden: Hiding = Hiding()
    locked: Hiding = Hiding()
    outside: tuple[str, ...] = ()


class _DeniedIn(NamedTuple):
    changed: int
    folders: Sequence[str]
    denied: Mapping[str, Denial]


@frozen
class DeniedFiles:
    """Finds what these rules deny. It remembers folders; call it off the event loop."""

    rules: DenyRules = DenyRules()
    _known: dict[str, _DeniedIn] = field(default_factory=dict[str, _DeniedIn], init=False)

    def below(self, roots: Sequence[str]) -> Mapping[str, Denial]:
        """Return what is denied, by its real path. **Raises** `WorkspaceError` for too many files."""
        outside = (path for pattern in self.rules.outside for path in _matching(pattern))
        found: dict[str, Denial] = {realpath(path): "closed" for path in outside}
        if self.rules.hidden.expressions or self.rules.locked.expressions:
            found |= self._walk(roots)
        if len(found) > MOST_FILES:
            raise WorkspaceError(TOO_MANY.format(MOST_FILES))
        return found

    def _walk(self, roots: Sequence[str]) -> Mapping[str, Denial]:
        found: dict[str, Denial] = {}
        waiting = list(roots)
        seen = 0
        while waiting and (seen := seen + 1) <= MOST_FOLDERS:
            path = waiting.pop()
            try:
                status = os.lstat(path)
                folder = self._known.get(path)
                if folder is None or folder.changed != status.st_ctime_ns:
                    if not stat.S_ISDIR(status.st_mode):
                        continue
                    folder = self._read(path, status.st_ctime_ns, roots)
                    self._known[path] = folder
            except OSError:  # it went away, or nobody may look into it
                continue
            found.update(folder.denied)
            waiting += folder.folders
        return found

    def _read(self, path: str, changed: int, roots: Sequence[str]) -> _DeniedIn:
        folders: list[str] = []
        denied: dict[str, Denial] = {}
        with os.scandir(path) as entries:
            for entry in entries:
                if denial := self._denial(entry.path):
                    denied.update(dict.fromkeys(_real(entry, roots), denial))
                elif entry.is_dir(follow_symlinks=False) and not entry.path.endswith(OBJECTS):
                    folders.append(entry.path)
        settled = time.time_ns() - changed > SETTLED
        return _DeniedIn(changed if settled else 0, folders, denied)

    def _denial(self, path: str) -> Denial | None:
        if self.rules.hidden.hides(path):
            return "closed"
        return "readable" if self.rules.locked.hides(path) else None


def _matching(pattern: str) -> Iterator[str]:
    return islice(iglob(pattern), MOST_FILES)  # noqa: PTH207 - the pattern is that of an absolute path


def _real(entry: "os.DirEntry[str]", roots: Sequence[str]) -> Iterator[str]:
    """Yield the path, for a link where it leads: nothing outside of the workspace is mounted for it."""
    if not entry.is_symlink():
        yield entry.path
        return
    real = realpath(entry.path)
    if any(real.startswith(f"{root}/") for root in roots) and Path(real).exists():
        yield real
