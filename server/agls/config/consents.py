"""What the user consented to: offers of folders and plugins, kept in the user's own state with a mark."""

import json
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from agls.config.own_files import CONSENTS, GuardedFiles
from agls.config.private import identity
from agls.config.seal import Seal
from agls.engine.vocabulary import JsonObject

KIND = "consents"
FOREIGN = "{} is ignored: it does not have the mark of agls, so something else wrote or changed it."


class ConsentRecord(NamedTuple):
    """A consent: for what in which folder, its digest, and the texts it was given for, by their names."""

    folder: str
    kind: str
    name: str
    digest: str
    given_at: float
    definition: JsonObject
    files: dict[str, str]


class ConsentStore:
    """The consents, by folder, kind and name. A folder counts by what it really is, as in `Trust`.

    What agls did not write itself counts for nothing; `ignored` says so after a look.
    """

    def __init__(self, files: GuardedFiles, seal: Seal) -> None:
        self._files, self._seal = files, seal
        self.ignored = ""

    @property
    def _file(self) -> Path:
        return self._files.state_folder / CONSENTS

    def all(self) -> Sequence[ConsentRecord]:
        """**Returns** all consents, by folder, kind and name."""
        return sorted(ConsentRecord(*row[0]) for row in self._read())

    def of(self, folder: Path, kind: str, name: str) -> ConsentRecord | None:
        """**Returns** the consent for this in this very folder."""
        try:
            path, number = identity(folder)
        except OSError:
            return None
        for record, held in self._read():
            if (record[:3], held) == ([path, kind, name], number):
                return ConsentRecord(*record)
        return None

    def give(
        self, folder: Path, kind: str, name: str, digest: str, definition: JsonObject, files: dict[str, str]
    ) -> None:
        """Remember a consent, in the place of an earlier one. **Raises** `OSError`."""
        path, number = identity(folder)
        record = [path, kind, name, digest, time.time(), definition, files]
        self._hold([*self._without(path, kind, name), [record, number]])

    def revoke(self, folder: str, kind: str, name: str) -> bool:
        """Forget a consent. **Returns** whether there was one. **Raises** `OSError`."""
        path = str(Path(folder).resolve())
        left = self._without(path, kind, name)
        if there := len(left) != len(self._read()):
            self._hold(left)
        return there

    def _without(self, path: str, kind: str, name: str) -> list[Any]:
        return [row for row in self._read() if row[0][:3] != [path, kind, name]]

    def _hold(self, rows: list[Any]) -> None:
        self._files.write(self._file, {"consents": rows, "seal": self._seal.sign(KIND, rows)})

    def _read(self) -> list[Any]:
        self.ignored = ""
        try:
            held: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            rows = list(held["consents"])
            if self._seal.proves(KIND, rows, held.get("seal")):
                return rows
            self.ignored = FOREIGN.format(self._file)
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return []
