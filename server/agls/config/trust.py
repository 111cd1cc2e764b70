"""Which folders the user trusts: kept in the state folder, keyed by what the folder really is."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agls.config.consents import ConsentStore
from agls.config.own_files import GuardedFiles
from agls.config.private import identity
from agls.config.seal import Seal

KIND = "trust"
Folders = dict[str, list[int]]  # real paths, and what the folders are
FOREIGN = (
    "{} is ignored: it does not have the mark of agls, so something else wrote or changed it. "
    "Trust your folders again: agls trust"
)


class Trust:
    """Trust in exact folders, by real path and by device and inode.

    A folder that took the place of another is not trusted, and neither are its parents and children. What
    agls did not write itself counts for nothing; `ignored` says so after a look. `consents` are for what in
    them may act.
    """

    def __init__(self, files: GuardedFiles, seal: Seal) -> None:
        self._files, self._seal = files, seal
        self._file = files.state_folder / "trust.json"
        self.consents = ConsentStore(files, seal)
        self.ignored = ""

    def trusts(self, folder: Path) -> bool:
        """Whether the user trusts this very folder."""
        if not (known := self._read()[0]):
            return False
        try:
            path, number = identity(folder)
        except OSError:
            return False
        return known.get(path) == number

    def declined(self, folder: Path) -> bool:
        """Whether the user was asked about this very folder, and said no."""
        try:
            path, number = identity(folder)
        except OSError:
            return False
        return self._read()[1].get(path) == number

    def decline(self, folder: Path) -> None:
        """Remember that the user does not want to trust this folder. **Raises** `OSError`."""
        path, number = identity(folder)
        trusted, declined = self._read()
        self._hold(trusted, {**declined, path: number})

    def folders(self) -> Sequence[str]:
        """The trusted folders, by their real paths."""
        return sorted(self._read()[0])

    def remember(self, folder: Path) -> None:
        """Trust this folder from now on. Raises `OSError`."""
        path, number = identity(folder)
        trusted, declined = self._read()
        self._hold({**trusted, path: number}, _without(declined, path))

    def forget(self, folder: Path) -> bool:
        """Trust this folder no more. **Returns** whether it was trusted. **Raises** `OSError`."""
        path, (trusted, declined) = str(folder.resolve()), self._read()
        if path in trusted:
            self._hold(_without(trusted, path), declined)
        return path in trusted

    def _hold(self, trusted: Folders, declined: Folders) -> None:
        mark = self._seal.sign(KIND, [trusted, declined])
        self._files.write(self._file, {"folders": trusted, "declined": declined, "seal": mark})

    def _read(self) -> tuple[Folders, Folders]:
        """The folders that are trusted and those that are not; none when the file is absent, or not ours."""
        self.ignored = ""
        try:
            held: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            trusted, declined = dict(held["folders"]), dict(held["declined"])
            if self._seal.proves(KIND, [trusted, declined], held.get("seal")):
                return trusted, declined
            self.ignored = FOREIGN.format(self._file)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return {}, {}


def _without(folders: Folders, path: str) -> Folders:
    return {name: number for name, number in folders.items() if name != path}
