"""The files that an offer covers: what its commands name, run and obey, wherever it lies."""

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.room.obeyed import Obeyed, obeyed_by, obeyed_by_script
from agls.room.offers import Offer
from agls.workspace.digests import FileDigest, file_digest
from agls.workspace.workspace import OpenWorkspace

MOST_FILES = 2_000  # of one offer
MOST_BYTES = 200_000_000
LEFT_OUT = frozenset({".git", "__pycache__"})  # of a folder: what git and Python write there by themselves
UNSTABLE = ("/proc/", "/sys/", "/dev/")  # these files are made when they are read
SHELL_FILES = frozenset({".sh", ".bash", ".zsh", ".ksh"})
TOO_MUCH = (
    "It is not used: it names {}, which is more than can be compared each time ({} files, {} MB). "
    "Name files, or a smaller folder."
)


class TooMuch(Exception):
    """An offer names more than can be compared; the message says what."""


@frozen
class Covered:
    """A file: its digest, and its text for scripts, which may not be shown where it `is_closed`."""

    content: FileDigest
    is_closed: bool


def covered_files(offer: Offer, workspace: OpenWorkspace) -> dict[str, FileDigest]:
    """**Returns** the files that an offer covers, by name. **Raises** `TooMuch`.

    The text of one that may not be shown is left out. Call it off the event loop.
    """
    found = OfferedFiles(workspace, Path(workspace.root) / offer.folder)
    for command in offer.commands:
        found.take(obeyed_by(command), found.folder)
    for name in offer.files:
        found.add(found.folder / name)
    return {
        name: FileDigest(file.content.digest) if file.is_closed else file.content
        for name, file in sorted(found.files.items())
    }


class OfferedFiles:
    """Collects the files of one offer; scripts of the shell bring those that they run."""

    def __init__(self, workspace: OpenWorkspace, folder: Path) -> None:
        self.folder, self.files = folder, dict[str, Covered]()
        self._workspace, self._bytes = workspace, 0
        self._seen, self._folders = set[str](), set[str]()

    def take(self, obeyed: Obeyed, *bases: Path) -> None:
        """Add what is there of what commands run and obey, seen from these folders. **Raises** `TooMuch`."""
        for base in bases:
            for name in obeyed.names:
                self.add(base / _expanded(name))
            for name in obeyed.folders:
                self._add_folder(base / _expanded(name))
            for folder, pattern in obeyed.patterns:
                self._add_matching(base / _expanded(folder), pattern)

    def add(self, path: Path) -> None:
        """Add one file, if it is there. **Raises** `TooMuch`."""
        real = os.path.realpath(path)
        if real in self._seen or real.startswith(UNSTABLE):
            return
        self._seen.add(real)
        try:
            place = self._workspace.place(real)
            size = Path(real).stat().st_size if Path(real).is_file() else -1
        except (WorkspaceError, OSError, ValueError):
            return
        if size < 0:
            return
        self._bytes += size
        if len(self.files) >= MOST_FILES or self._bytes > MOST_BYTES:
            raise TooMuch(TOO_MUCH.format(place.shown, MOST_FILES, MOST_BYTES // 1_000_000))
        content = file_digest(real)
        is_open = place.inside and not place.protected and self._workspace.lists(real)
        self.files[place.shown] = Covered(content, not is_open)  # else it may hold keys
        if _is_script(real, content.text):
            self.take(obeyed_by_script(content.text), self.folder, Path(real).parent)

    def _add_folder(self, path: Path) -> None:
        """Add everything in a folder of the workspace, except for its root, which changes with each edit."""
        real = os.path.realpath(path)
        place = self._place(real)
        if real in self._folders or not (place and Path(real).is_dir()):
            return
        self._folders.add(real)
        if any(Path(root).is_relative_to(real) for root in (self._workspace.real_root, str(self.folder))):
            return
        try:
            for file in _files_in(real):
                self.add(file)
        except TooMuch:
            raise TooMuch(TOO_MUCH.format(place, MOST_FILES, MOST_BYTES // 1_000_000)) from None

    def _add_matching(self, folder: Path, pattern: str) -> None:
        """Add what a program finds by its name, in a folder and in those above it up to the first one."""
        for place in (folder, *folder.parents):
            if not place.is_relative_to(self.folder):
                break
            try:
                names = os.listdir(place)  # noqa: PTH208 - names are matched, not paths
            except OSError:
                continue
            for name in names:
                if fnmatchcase(name.casefold(), pattern):
                    self.add(place / name)

    def _place(self, path: str) -> str:
        """Return how a place of the workspace is called, "" outside."""
        try:
            place = self._workspace.place(path)
        except WorkspaceError:
            return ""
        return place.shown if place.inside else ""


def _files_in(folder: str) -> Iterator[Path]:
    """Yield the files below a folder, behind links as well."""
    seen = set[str]()
    for here, folders, files in os.walk(folder, followlinks=True):
        real = os.path.realpath(here)
        folders[:] = [] if real in seen else sorted(set(folders) - LEFT_OUT)
        seen.add(real)
        yield from (Path(here, name) for name in sorted(files))


def _expanded(name: str) -> str:
    """Return a name with the home folder in the place of its usual spellings."""
    for spelling in ("$HOME/", "${HOME}/"):
        name = f"~/{name.removeprefix(spelling)}" if name.startswith(spelling) else name
    return os.path.expanduser(name) if name.startswith("~/") else name.replace("\0", "")  # noqa: PTH111 - a text


def _is_script(path: str, text: str) -> bool:
    first = text.partition("\n")[0]
    return Path(path).suffix in SHELL_FILES or (first.startswith("#!") and "sh" in first)
