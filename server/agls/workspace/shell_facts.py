"""What the disk says of a command that is to be judged. Nothing is run."""

import glob
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from os.path import lexists
from pathlib import Path
from posixpath import join
from typing import Literal

from agls.engine.ports import WorkspaceError
from agls.workspace.git_programs import programs_of_git, tracked_names
from agls.workspace.workspace import OpenWorkspace

MOST_NAMES = 2_000
MOST_TRACKED = 2_000  # names that git keeps
MOST_ENTRIES = 10_000  # of folders whose names a command gives to another
NOT_OURS = frozenset({".git", "node_modules", "site-packages"})  # what is in them was published
MOST_FOLDERS = 200  # looked into for one command: about two milliseconds


class FolderShellFacts:
    """Facts for commands in an open workspace; git counts as known only where it `is_trusted`."""

    def __init__(self, workspace: OpenWorkspace, *, is_trusted: bool) -> None:
        self._workspace, self._is_trusted = workspace, is_trusted

    def is_foreign(self, program: str, folder: str) -> bool:
        """Return whether the program that a shell finds under this name lies outside of the workspace.

        One that is nowhere counts as one if none of the places is in the workspace: then nothing runs. One
        that stands for another, as a file of the `folder` says, does not count.
        """
        places = self._workspace.environment["PATH"].split(os.pathsep)
        for place in places:
            path = join(place, program)
            if os.path.lexists(path):
                return self._workspace.which(path) == path and not self._is_chosen(path, folder)
        return "/" not in program and not any(map(self._may_be_ours, places))

    def obeyed(self, folder: str, names: Iterable[str]) -> str:
        """Return the first of these files that lies in a folder or above it, "" when none does."""
        from agls.workspace.chosen_programs import found_above  # noqa: PLC0415 - no session begins with it

        return found_above(self._workspace.place(folder).path, names, self._root)

    def _is_chosen(self, path: str, folder: str) -> bool:
        from agls.workspace.chosen_programs import choosing_file  # noqa: PLC0415 - no session begins with it

        try:
            return bool(choosing_file(path, self._workspace.place(folder).path, self._root))
        except WorkspaceError:
            return True

    @property
    def _root(self) -> str:
        return self._workspace.place(".").path

    def _may_be_ours(self, folder: str) -> bool:
        try:
            return not folder.startswith("/") or self._workspace.place(folder).inside
        except WorkspaceError:
            return True

    def expand(self, pattern: str, folder: str) -> Sequence[str]:
        """Return the names that a shell puts in the place of a pattern.

        **Raises** `WorkspaceError` when they are too many, or the folder is not in the workspace.
        """
        place = self._workspace.place(folder)
        if not place.inside:
            raise WorkspaceError(f"{folder} is outside the workspace.")
        found = list(islice(glob.iglob(pattern, root_dir=place.path), MOST_NAMES + 1))  # noqa: PTH207 - a shell's rules
        if len(found) > MOST_NAMES:
            raise WorkspaceError(f"{pattern} stands for more than {MOST_NAMES} names.")
        return sorted(found) or [pattern]

    def held_below(self, folder: str, is_meant: Callable[[str], bool]) -> str:
        """Return the path of the first file with such a name in a folder or below, as seen from the folder.

        A folder counts with a slash behind its name. The upper folders are looked into first, and no more
        than `MOST_FOLDERS`; "" when there is none.
        **Raises** `WorkspaceError` when the folder is not in the workspace.
        """
        place = self._workspace.place(folder)
        if not place.inside:
            raise WorkspaceError(f"{folder} is outside the workspace.")
        waiting = deque([""])
        for _ in range(MOST_FOLDERS):
            if not waiting:
                break
            below = waiting.popleft()
            try:
                with os.scandir(join(place.path, below)) as entries:
                    for entry in entries:
                        is_folder = entry.is_dir(follow_symlinks=False)
                        if is_meant(f"{entry.name}/" if is_folder else entry.name):
                            return join(below, entry.name)
                        if is_folder and entry.name not in NOT_OURS:
                            waiting.append(join(below, entry.name))
            except OSError:  # a file, or one that went away
                continue
        return ""

    def below(self, folder: str) -> Iterator[tuple[str, Literal["file", "folder", "link"]]]:
        """Yield everything in a folder and below: its path as seen from the folder, and what it is.

        **Raises** `WorkspaceError` when it is too much to look at, or cannot be looked at.
        """
        root = self._workspace.place(folder)
        if not root.inside:
            raise WorkspaceError(f"{folder} is outside the workspace.")
        waiting, left = deque([""]), MOST_ENTRIES
        while waiting:
            upper = waiting.popleft()
            for entry in _entries(join(root.path, upper)):
                left -= 1
                if not left:
                    raise WorkspaceError(f"{folder} holds more than {MOST_ENTRIES} files.")
                path = join(upper, entry.name)
                if entry.is_symlink():
                    yield path, "link"
                elif entry.is_dir(follow_symlinks=False):
                    waiting.append(path)
                    yield path, "folder"
                else:
                    yield path, "file"

    def tracked(self, folder: str) -> Sequence[str]:
        """Return the names of the files that git keeps in a folder and below, as seen from the folder.

        **Raises** `WorkspaceError` when they are too many, or cannot be read.
        """
        place = self._workspace.place(folder)
        if not place.inside:
            raise WorkspaceError(f"{folder} is outside the workspace.")
        try:
            found = list(islice(tracked_names(Path(place.path)), MOST_TRACKED + 1))
        except (OSError, ValueError) as problem:
            raise WorkspaceError(f"what git keeps in {folder} cannot be read: {problem}.") from None
        if len(found) > MOST_TRACKED:
            raise WorkspaceError(f"git keeps more than {MOST_TRACKED} files in {folder}.")
        return found

    def is_top(self, folder: str) -> bool:
        """Return whether this is the top folder of a repository."""
        return lexists(f"{self._workspace.place(folder).path}/.git")

    def programs_of_git(self, folder: str) -> str:
        """Return why git might run other programs there, "" when it will not."""
        if not self._is_trusted:
            return "the folder is not trusted"
        return programs_of_git(str(Path(self._workspace.place(folder).path)))


def _entries(folder: str) -> Sequence[os.DirEntry[str]]:
    """Return what is in a folder, nothing when it is a file. **Raises** `WorkspaceError`."""
    try:
        with os.scandir(folder) as entries:
            return list(islice(entries, MOST_ENTRIES + 1))
    except NotADirectoryError:
        return ()
    except OSError as problem:
        raise WorkspaceError(f"{folder} cannot be read: {problem.strerror}.") from None
