"""What the disk says of a command that is to be judged. Nothing is run."""

import glob
import os
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from posixpath import join

from agls.engine.ports import WorkspaceError
from agls.workspace.git_programs import programs_of_git
from agls.workspace.workspace import OpenWorkspace

MOST_NAMES = 2_000


class FolderShellFacts:
    """Facts for commands in an open workspace; git counts as known only where it `is_trusted`."""

    def __init__(self, workspace: OpenWorkspace, *, is_trusted: bool) -> None:
        self._workspace, self._is_trusted = workspace, is_trusted

    def is_foreign(self, program: str) -> bool:
        """Return whether the program that a shell finds under this name lies outside of the workspace."""
        for folder in self._workspace.environment["PATH"].split(os.pathsep):
            path = join(folder, program)
            if os.path.lexists(path):
                return self._workspace.which(path) == path
        return False

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

    def programs_of_git(self, folder: str) -> str:
        """Return why git might run other programs there, "" when it will not."""
        if not self._is_trusted:
            return "the folder is not trusted"
        return programs_of_git(str(Path(self._workspace.place(folder).path)))
