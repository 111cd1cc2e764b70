"""Which folders the user trusts: kept in the state folder, keyed by what the folder really is."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agls.config.own_files import OwnFiles
from agls.config.private import identity
from agls.config.seal import Seal

KIND = "trust"
FOREIGN = (
    "{} is ignored: it does not have the mark of agls, so something else wrote or changed it. "
    "Trust your folders again: agls trust"
)


class Trust:
    """Trust in exact folders, by real path and by device and inode.

    A folder that took the place of another is not trusted, and neither are its parents and children. What
    agls did not write itself counts for nothing; `ignored` says so after a look.
    """

    def __init__(self, files: OwnFiles, seal: Seal) -> None:
        self._files, self._seal = files, seal
        self._file = files.state_folder / "trust.json"
        self.ignored = ""

    def trusts(self, folder: Path) -> bool:
        """Whether the user trusts this very folder."""
        if not (known := self._folders()):
            return False
        try:
            path, number = identity(folder)
        except OSError:
            return False
        return known.get(path) == number

    def folders(self) -> Sequence[str]:
        """The trusted folders, by their real paths."""
        return sorted(self._folders())

    def remember(self, folder: Path) -> None:
        """Trust this folder from now on. Raises `OSError`."""
        path, number = identity(folder)
        self._hold({**self._folders(), path: number})

    def forget(self, folder: Path) -> bool:
        """Trust this folder no more. **Returns** whether it was trusted. **Raises** `OSError`."""
        path, known = str(folder.resolve()), self._folders()
        if path in known:
            self._hold({name: number for name, number in known.items() if name != path})
        return path in known

    def _hold(self, folders: dict[str, list[int]]) -> None:
        self._files.write(self._file, {"folders": folders, "seal": self._seal.sign(KIND, folders)})

    def _folders(self) -> dict[str, list[int]]:
        """The folders and what they are; none when the file is absent, damaged or not ours."""
        self.ignored = ""
        try:
            held: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            folders = dict(held["folders"])
            if self._seal.proves(KIND, folders, held.get("seal")):
                return folders
            self.ignored = FOREIGN.format(self._file)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return {}
