"""What the user gave for the inputs of files with MCP servers; secret values are kept as keys are.

A small file of the state folder has the others, and a mark for each secret: so nobody looks into the keyring
for a value that is not there.
"""

import json
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from agls.config.errors import ConfigError
from agls.config.key_store import KeyFile, Keyring
from agls.config.private import replace_file
from agls.config.seal import Seal
from agls.frozen import frozen

KIND = "mcp inputs"
FILE = "mcp/inputs.json"
NAME = "mcp input {} of {}"  # in the keyring and the file of keys
_secrets: set[str] = set()  # of this process: no text may show them


def given_secrets() -> frozenset[str]:
    """**Returns** every secret value that this process was given or read."""
    return frozenset(_secrets)


@frozen
class _Kept:
    """A value, or the mark of one that is kept with the keys."""

    value: str = ""
    mark: str = ""


class InputValues:
    """Keeps values by folder and name of the input; without a state folder in memory alone.

    What agls did not write itself counts for nothing. All methods wait for the disk.
    """

    def __init__(self, state_folder: Path | None, seal: Seal) -> None:
        self._file = state_folder / FILE if state_folder else None
        self._places = (Keyring(), KeyFile(state_folder)) if state_folder else None
        self._seal = seal
        self._kept: dict[tuple[str, str], _Kept] = {}
        self._known: dict[str, str] = {}  # secrets by their marks

    def read(self, folder: str) -> Mapping[str, str]:
        """**Returns** the values for the inputs of a folder's files; a secret that is gone has none."""
        self._look()
        found = {
            name: self._value(name, folder, kept) for (of, name), kept in self._kept.items() if of == folder
        }
        return {name: value for name, value in found.items() if value}

    def keep(self, folder: str, name: str, value: str, *, secret: bool) -> None:
        """Keep a value in the place of an earlier one. **Raises** `ConfigError` and `OSError`."""
        self._look()
        kept = _Kept(mark=uuid4().hex) if secret else _Kept(value)
        if secret:
            self._learn(kept.mark, value)
            if self._places:
                keyring, file = self._places
                (keyring if keyring.usable else file).set(NAME.format(name, folder), value)
        self._write({**self._kept, (folder, name): kept})

    def forget(self, folder: str, name: str) -> bool:
        """Forget a value. **Returns** whether there was one. **Raises** `ConfigError` and `OSError`."""
        self._look()
        kept = self._kept.get((folder, name))
        if kept and kept.mark:
            for place in self._places or ():
                place.remove(NAME.format(name, folder))
        self._write({key: each for key, each in self._kept.items() if key != (folder, name)})
        return kept is not None

    def _value(self, name: str, folder: str, kept: _Kept) -> str:
        if kept.mark and kept.mark not in self._known and self._places:
            keyring, file = self._places
            with suppress(ConfigError):  # as with a key that is not there
                key = NAME.format(name, folder)
                self._learn(kept.mark, keyring.get(key) or file.read().get(key, ""))
        return self._known.get(kept.mark, "") if kept.mark else kept.value

    def _learn(self, mark: str, value: str) -> None:
        if value:
            self._known[mark] = value
            _secrets.add(value)

    def _look(self) -> None:
        """Read what is kept now: another process may have written it."""
        if not self._file:
            return
        self._kept = {}
        with suppress(OSError, ValueError, KeyError, TypeError):
            held: dict[str, Any] = json.loads(self._file.read_text("utf-8"))
            rows: list[list[str]] = held["inputs"]
            if self._seal.proves(KIND, rows, held["seal"]):
                self._kept = {(folder, name): _Kept(value, mark) for folder, name, value, mark in rows}

    def _write(self, kept: Mapping[tuple[str, str], _Kept]) -> None:
        self._kept = dict(kept)
        if self._file:
            rows = [
                [*key, each.value, each.mark] for key, each in sorted(kept.items(), key=lambda row: row[0])
            ]
            replace_file(self._file, {"inputs": rows, "seal": self._seal.sign(KIND, rows)})
