"""The protected names below the folders that a command may change: found before it runs, and after.

A mount makes read-only what is there. What is not there yet no mount can keep from being made without
leaving a file of its own in the workspace, so new names are found afterwards (docs/decisions/850). Git's
folders count wherever they lie, folders that look like a bare repository too. The others do not count in
folders of installed packages: nobody obeys them there, and there are thousands.

Folders are read again only when they changed.
"""

import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from os import lstat

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.workspace.handles import opened
from agls.workspace.obeyed_names import BARE, PACKAGES, kind_of

MOST_FOLDERS = 200_000
TOO_MANY = "There are more than {:,} folders in {}, too many to look for files that other programs obey."
_SETTLED = 2_000_000_000  # nanoseconds: coarser no file system's clock is

_FOLDER = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC  # a link may stand there now
Identity = tuple[int, int]


@frozen
class Marked:
    """A protected name: what stands there (device and inode), when that changed, and whether it is git's."""

    identity: Identity
    changed: int
    is_git: bool
    is_link: bool


@frozen
class _Folder:
    """A folder: its subfolders, with whether packages are in them, and its protected names.

    With these stands whether git owns them. `changed` is 0 for one that changed just now.
    """

    changed: int
    folders: tuple[tuple[str, bool], ...]
    marked: tuple[tuple[str, bool], ...]
    is_bare: bool


class TooManyFolders(WorkspaceError):
    """There are too many folders to look into; `found` is what was found until then."""

    def __init__(self, roots: Sequence[str], found: Mapping[str, Marked]) -> None:
        super().__init__(TOO_MANY.format(MOST_FOLDERS, " and ".join(roots)))
        self.found = found


class ProtectedNames:
    """Finds them. It remembers folders; call it off the event loop, and from one thread at a time."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, bool], _Folder] = {}

    @property
    def size(self) -> int:
        """How many folders are remembered."""
        return len(self._known)

    @property
    def folders(self) -> Iterator[str]:
        """Those that are remembered."""
        return (path for path, _ in self._known)

    def below(self, roots: Sequence[str]) -> Mapping[str, Marked]:
        """Return what has a protected name below these folders, by path; nothing below another one.

        **Raises** `TooManyFolders`.
        """
        found: list[tuple[str, bool]] = []
        known: dict[tuple[str, bool], _Folder] = {}
        waiting = [(root, False) for root in roots]
        while waiting:  # as short as can be: it is in the way of each command
            here = waiting.pop()
            try:
                changed = lstat(here[0]).st_ctime_ns  # nobody can set it
                folder = self._known.get(here)
                if folder is None or folder.changed != changed:
                    folder = _read(*here, changed)
            except OSError:  # it went away, or nobody may look into it
                continue
            known[here] = folder
            if folder.is_bare:
                is_root = here[0] in roots  # of which not all that is in it would be git's
                found.append((f"{here[0]}/HEAD" if is_root else here[0], True))
                if not is_root:
                    continue
            found += folder.marked
            waiting += folder.folders
            if len(known) > MOST_FOLDERS:
                raise TooManyFolders(roots, dict(_marked(found)))
        self._known = known
        return dict(_marked(found))


def _read(path: str, in_packages: bool, changed: int) -> _Folder:
    """Read a folder; one that changed just now is not to be remembered. **Raises** `OSError`."""
    parent = path.rpartition("/")[2]
    folders: list[tuple[str, bool]] = []
    marked: list[tuple[str, bool]] = []
    names: set[str] = set()
    with opened(os.open(path, _FOLDER)) as handle, os.scandir(handle) as entries:
        for entry in entries:
            name = entry.name
            names.add(name)
            kind = kind_of(parent, name)
            if kind == "git" or (kind and not in_packages):
                marked.append((f"{path}/{name}", kind == "git"))
            elif entry.is_dir(follow_symlinks=False):
                folders.append((f"{path}/{name}", in_packages or name in PACKAGES))
    settled = time.time_ns() - changed > _SETTLED
    return _Folder(changed if settled else 0, tuple(folders), tuple(marked), names >= BARE)


def _marked(paths: Iterator[tuple[str, bool]] | Sequence[tuple[str, bool]]) -> Iterator[tuple[str, Marked]]:
    for path, is_git in paths:
        try:
            status = lstat(path)
        except OSError:
            continue
        identity, is_link = (status.st_dev, status.st_ino), stat.S_ISLNK(status.st_mode)
        yield path, Marked(identity, status.st_ctime_ns, is_git, is_link)
