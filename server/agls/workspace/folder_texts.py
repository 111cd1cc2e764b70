"""Small texts in the folders of a session, and whether any of them changed since they were read.

Only files of folders that the user trusts are read, and the user's own; which those are is decided before.
"""

import os
from collections.abc import Sequence
from functools import lru_cache
from itertools import takewhile
from pathlib import Path, PurePath

from agls.engine.ports import FileText, PathOutside, WorkspaceError
from agls.plain_file import is_folder, read_plain
from agls.workspace.contents import read_text
from agls.workspace.documents import WorkspaceDocuments
from agls.workspace.editor import Editor
from agls.workspace.globs import parse_glob, path_matcher
from agls.workspace.hidden_files import Hiding
from agls.workspace.path_stamps import PathStamps
from agls.workspace.paths import Ground, ResolvedPath
from agls.workspace.repository import read_above

LARGEST = 4_000_000  # bytes of such a file
MOST_FILES = 1_500  # of one folder with all below
DEEPEST = 5  # folders below it
MOST_FOLDERS = 2_000  # that are looked at for a file of some name
_WILD = frozenset("*?[{")
ENDS = (".md", ".mdc", ".markdown", ".txt", ".cursorrules", ".clinerules")


class FolderLook:
    """One look at these folders: what it reads, and the state of everything that it looked at.

    Of the folders `trusted` and below files are read as the editor has them. Those `above` are of the same
    user, and hold no links; `own` are the user's own files, and folders all below which is their own.
    """

    def __init__(
        self,
        parts: tuple[Ground, WorkspaceDocuments, Editor, Hiding],
        trusted: Sequence[str],
        above: Sequence[str],
        own: Sequence[str],
    ) -> None:
        self._ground, self._documents, self._editor, self._hiding = parts
        self._trusted = tuple((folder, self._ground.place(folder).path) for folder in trusted)
        self._above, self._own = tuple(above), frozenset(own)
        self._stamps = PathStamps()
        self._buffers = self._open_texts()

    def text(self, path: str) -> tuple[str, str, str] | None:
        """Return a file: its path as people read it, its real path, its text; `None` where there is none.

        **Raises** `WorkspaceError` with the reason why it is not read.
        """
        if not self._stamps.exists(path):
            return None
        if self._is_own(path):
            return _own_text(path) if os.path.isfile(path) else None  # noqa: PTH113 - as below
        if self._is_above(path):
            return self._text_above(path)
        target = self._entered(path)
        shown, real = target.place.shown, target.place.path
        if not self._is_trusted(real):
            raise WorkspaceError(f"it leads to {real}, which is outside the trusted folder")
        if not real.casefold().endswith(ENDS) and PurePath(real).name != PurePath(path).name:
            raise WorkspaceError(f"it is a link to {shown}, which is not a Markdown file")  # perhaps keys
        if self._hiding.hides(real):
            raise WorkspaceError("a rule of your permissions denies reading it")
        if buffer := self._documents.find(target):
            return shown, real, buffer.text
        return shown, real, _stored(target).text

    def _entered(self, path: str) -> ResolvedPath:
        try:
            return self._ground.enter(path)
        except PathOutside:
            if (real := os.path.realpath(path)) == path:
                raise
            raise WorkspaceError(f"it leads to {real}, which is outside the workspace") from None

    def below(self, folder: str, ends: tuple[str, ...]) -> Sequence[str]:
        """Return the files in a folder, and in those below it, whose names end so. Links are left out."""
        found: list[str] = []
        waiting = [(folder, 0)] if self._stamps.exists(folder) and not os.path.islink(folder) else []  # noqa: PTH114 - as below
        while waiting and len(found) < MOST_FILES:
            here, depth = waiting.pop(0)
            self._stamps.add(here)
            try:
                with os.scandir(here) as entries:
                    known = sorted(entries, key=lambda entry: entry.name)
            except OSError:  # it is no folder, or closed
                continue
            found += [
                entry.path
                for entry in known
                if entry.name.endswith(ends) and entry.is_file(follow_symlinks=False)
            ]
            if depth < DEEPEST:
                folders = [entry.path for entry in known if entry.is_dir(follow_symlinks=False)]
                waiting += [(each, depth + 1) for each in folders]
        return found[:MOST_FILES]

    def fitting(self, glob: str) -> Sequence[str]:
        """Return the files that fit an absolute glob, which may be a plain path."""
        parts = glob.split("/")
        fixed = list(takewhile(lambda part: not _WILD.intersection(part), parts[:-1]))
        folder, rest = "/".join(fixed), "/".join(parts[len(fixed) :])
        if not _WILD.intersection(rest):
            return (glob,) if self._stamps.exists(glob) else ()
        try:
            fits = path_matcher(parse_glob(f"/{rest}"))
        except ValueError:
            return ()
        found = self.below(folder, (PurePath(glob).suffix,))
        return [path for path in found if fits(path.removeprefix(f"{folder}/"))]

    def holders(self, folder: str, names: tuple[str, ...], deepest: int) -> Sequence[str]:
        """Return the files of these names in the folders below this one, at most one of each folder.

        Nothing is looked for below a folder that has such a file, nor below one outside of the project that
        one of its links leads to.
        """
        found: list[str] = []
        waiting = [(folder, 0)] if self._stamps.exists(folder) else []
        for here, depth in waiting:  # it grows
            self._stamps.add(here)
            try:
                with os.scandir(here) as entries:
                    known = {entry.name: entry for entry in entries}
            except OSError:  # it is no folder, or closed
                continue
            file = next((known[name] for name in names if name in known and not is_folder(known[name])), None)
            if file and depth:
                found.append(file.path)
            elif depth < deepest:
                below = [known[name] for name in sorted(known) if is_folder(known[name])]
                room = MOST_FOLDERS - len(waiting)
                waiting += [(e.path, deepest if self._leads_out(e) else depth + 1) for e in below[:room]]
        return found

    def is_file(self, path: str) -> bool:
        """Return whether there is a file at this path; it is not opened."""
        return self._stamps.exists(path) and os.path.isfile(path)  # noqa: PTH113 - a run looks at many

    def holds(self, path: str) -> bool:
        """Return whether a path may be followed: it is in a trusted folder, or beside the user's own."""
        if any(path.startswith(f"{folder}/") for folder, _ in self._trusted):
            return True
        return self._is_own(path)

    def shown(self, path: str) -> str:
        """Return the path as people read it."""
        return path if self._is_own(path) or self._is_above(path) else self._ground.place(path).shown

    def is_current(self) -> bool:
        """Return whether everything that was looked at is as it was then."""
        return self._buffers == self._open_texts() and self._stamps.is_current()

    def _leads_out(self, entry: os.DirEntry[str]) -> bool:
        if not entry.is_symlink() or self._is_own(entry.path):
            return False
        return not self._is_trusted(f"{os.path.realpath(entry.path)}/")

    def _text_above(self, path: str) -> tuple[str, str, str] | None:
        file = Path(path)
        if self._hiding.hides(path) or (str(file.parent) not in self._above and file.parent.is_symlink()):
            return None
        found = read_above(file.parent, (file.name,))
        return (path, path, found[1]) if found else None

    def _is_above(self, path: str) -> bool:
        """Return whether it is one of the files right in a folder above, or in a folder of rules there."""
        inside = any(path.startswith(f"{folder}/") for folder, _ in self._trusted)
        return not inside and any(path.startswith(f"{folder}/") for folder in self._above)

    def _is_own(self, path: str) -> bool:
        """Return whether it is one of the user's own files, a text beside one, or in one of their folders."""
        if any(path.startswith(f"{folder}/") for folder, _ in self._trusted):
            return False
        near = any(path.rpartition("/")[0] == own.rpartition("/")[0] for own in self._own)
        below = any(path.startswith(f"{own}/") for own in self._own)
        return path in self._own or below or (near and path.endswith(ENDS))

    def _is_trusted(self, real: str) -> bool:
        return any(real.startswith(f"{folder}/") for _, folder in self._trusted)

    def _open_texts(self) -> tuple[tuple[str, int], ...]:
        buffers = self._editor.buffers()
        return tuple([(each.uri, each.version) for each in buffers if each.uri.endswith(ENDS)])


@lru_cache(maxsize=256)
def glob_fits(glob: str, path: str) -> bool:
    """Return whether a glob fits a path below its folder. One of a folder fits all in it."""
    try:
        patterns = parse_glob(f"{glob}**" if glob.endswith("/") else glob.removeprefix("./"))
    except ValueError:  # braces that stand for too much
        return False
    return path_matcher(patterns)(path)


def _own_text(path: str) -> tuple[str, str, str]:
    try:
        data = read_plain(path, LARGEST + 1)
    except OSError as error:
        raise WorkspaceError(f"it cannot be read: {error.strerror}") from None
    if len(data) > LARGEST:
        raise WorkspaceError(f"it has more than {LARGEST:,} bytes")
    return path, os.path.realpath(path), data.decode("utf-8-sig", "replace")


def _stored(target: ResolvedPath) -> FileText:
    return read_text(target, LARGEST)
