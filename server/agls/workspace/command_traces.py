"""What a command left that other programs run or obey: names are compared before and after it.

Looked at are protected names, git directories (bare ones too) and the places where programs are found
(`.venv/bin`, `node_modules/.bin`, wrappers). Only stamps are compared, and folders are read again only when
they changed; below a folder of installed packages nothing but its programs counts.
"""

import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from itertools import islice
from stat import S_ISDIR
from typing import NamedTuple

from agls.workspace.obeyed_names import BARE, PACKAGES, kind_of

MOST_FOLDERS = 20_000  # of one workspace; what lies behind them is not compared
MOST_FILES = 2_000  # in one protected folder
DEEPEST = 3  # folders below a protected one that are looked into
SETTLED = 2_000_000_000  # nanoseconds: no file system's clock is coarser
OF_GIT = ("config", "config.worktree", "commondir", "hooks", "info/attributes", "objects/info/alternates")

Stamp = tuple[int, ...]


class _Names(NamedTuple):
    """A folder as it was read: its subfolders that are walked into, and its names that count."""

    changed: tuple[int, int]
    folders: tuple[str, ...]
    protected: tuple[str, ...]
    git: tuple[str, ...]  # "" is the folder itself


class TraceScanner:
    """Looks at some folders. It remembers what it read: use it off the event loop."""

    def __init__(self, roots: Sequence[str]) -> None:
        self._roots = tuple(roots)
        self._known: dict[str, _Names] = {}
        self.read = 0  # folders that were read, for those who count

    def look(self) -> Mapping[str, Stamp]:
        """Return the stamps of everything that counts, by path."""
        found: dict[str, Stamp] = {}
        known: dict[str, _Names] = {}
        waiting = list(self._roots)
        while waiting and len(known) < MOST_FOLDERS:
            path = waiting.pop()
            names = self._names(path)
            if names is None:
                continue
            known[path] = names
            for name in names.git:
                found.update(_of_git(f"{path}/{name}".rstrip("/")))
            for name in names.protected:
                found.update(_below(f"{path}/{name}", DEEPEST))
            waiting += [f"{path}/{name}" for name in names.folders]
        self._known = known
        return found

    def _names(self, path: str) -> _Names | None:
        try:
            status = os.lstat(path)
            changed = status.st_mtime_ns, status.st_ctime_ns
            known = self._known.get(path)
            if known and known.changed == changed:
                return known
            if not S_ISDIR(status.st_mode):
                return None
            self.read += 1
            names = _read(path, changed)
        except OSError:  # it went away, or nobody may look into it
            return None
        is_settled = time.time_ns() - max(changed) > SETTLED
        return names if is_settled else names._replace(changed=(0, 0))


def _read(path: str, changed: tuple[int, int]) -> _Names:
    parent = path.rpartition("/")[2]
    in_packages = parent in PACKAGES
    folders: list[str] = []
    protected: list[str] = []
    git: list[str] = []
    names: set[str] = set()
    with os.scandir(path) as entries:
        for entry in entries:
            name = entry.name
            names.add(name)
            kind = kind_of(parent, name)
            if kind == "git":
                git.append(name)
            elif kind:
                protected.append(name)
            elif not in_packages and entry.is_dir(follow_symlinks=False):
                folders.append(name)
    if names >= BARE:
        return _Names(changed, (), (), ("",))
    return _Names(changed, tuple(folders), tuple(protected), tuple(git))


def _of_git(path: str) -> Iterator[tuple[str, Stamp]]:
    """Yield a git directory, by what it is, and what in it makes git run programs."""
    with suppress(OSError):
        status = os.lstat(path)
        is_folder = S_ISDIR(status.st_mode)
        yield path, (status.st_dev, status.st_ino) if is_folder else _stamp(status)
        for name in OF_GIT if is_folder else ():
            yield from _below(f"{path}/{name}", 1)


def _below(path: str, depth: int) -> Iterator[tuple[str, Stamp]]:
    """Yield a file, or a folder with what is in it."""
    with suppress(OSError):
        status = os.lstat(path)
        if not S_ISDIR(status.st_mode):
            yield path, _stamp(status)
            return
        yield path, (status.st_dev, status.st_ino, status.st_mode)
        if depth:
            with os.scandir(path) as entries:
                names = [entry.name for entry in islice(entries, MOST_FILES)]
            for name in names:
                yield from _below(f"{path}/{name}", depth - 1)


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ctime_ns


@lru_cache(maxsize=16)
def scanner_of(roots: tuple[str, ...]) -> TraceScanner:
    """Return the scanner of these folders, which remembers them from run to run."""
    return TraceScanner(roots)


class CommandTraces:
    """Compares the names around the commands of one run. Call it off the event loop.

    What changed while no command ran is not a command's doing. `end` and `look` **return** paths: of a
    folder and what is in it the latter.
    """

    def __init__(self, roots: Sequence[str]) -> None:
        self._scanner = scanner_of(tuple(roots))
        self._before: Mapping[str, Stamp] = {}
        self._running, self.lasting = 0, False

    def begin(self) -> None:
        """Look before a command."""
        if not (self._running or self.lasting):
            self._before = self._scanner.look()
        self._running += 1

    def end(self, *, lasting: bool) -> Sequence[str]:
        """Look behind a command, which may go on in the background (`lasting`)."""
        self._running -= 1
        self.lasting = lasting
        return self._changed()

    def look(self) -> Sequence[str]:
        """Look while something may go on in the background."""
        return self._changed() if self.lasting else ()

    def _changed(self) -> Sequence[str]:
        now, before = self._scanner.look(), self._before
        self._before = now
        changed = sorted(path for path in {*now, *before} if now.get(path) != before.get(path))
        behind = (*changed[1:], "")
        return [
            path for path, other in zip(changed, behind, strict=False) if not other.startswith(f"{path}/")
        ]
