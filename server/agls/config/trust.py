"""Which folders the user trusts: kept in the state folder, keyed by what the folder really is."""

import json
from pathlib import Path

from agls.config.private import identity, replace_file


class Trust:
    """Trust in exact folders, by real path and by device and inode (`promises.md` R2, R3).

    A folder that took the place of another is not trusted, and neither are its parents and children.
    """

    def __init__(self, state_folder: Path) -> None:
        self._file = state_folder / "trust.json"

    def trusts(self, folder: Path) -> bool:
        """Whether the user trusts this very folder."""
        try:
            path, number = identity(folder)
        except OSError:
            return False
        return self._folders().get(path) == number

    def remember(self, folder: Path) -> None:
        """The user trusts this folder from now on. Raises `OSError`."""
        path, number = identity(folder)
        replace_file(self._file, {"folders": {**self._folders(), path: number}})

    def forget(self, folder: Path) -> None:
        """The user does not trust this folder any more. Raises `OSError`."""
        path = str(folder.resolve())
        rest = {known: number for known, number in self._folders().items() if known != path}
        replace_file(self._file, {"folders": rest})

    def _folders(self) -> dict[str, list[int]]:
        try:
            return dict(json.loads(self._file.read_text("utf-8"))["folders"])
        except (OSError, ValueError, KeyError, TypeError):
            return {}  # absent or damaged: nothing is trusted
