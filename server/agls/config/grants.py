"""What the user allowed for a project, kept in their own state folder, never in the project."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from agls.config.private import identity, replace_file


class FolderGrants:
    """The permissions room's `Grants` for one folder: keyed, as trust is, by what the folder really is."""

    def __init__(self, state_folder: Path, folder: Path) -> None:
        self._folder = folder
        self._files = state_folder / "grants"

    def load(self) -> Sequence[str]:
        """The rules allowed before; none when they cannot be read or belong to another folder."""
        try:
            path, number = identity(self._folder)
            held: dict[str, Any] = json.loads(self._file(path).read_text("utf-8"))
            return [str(rule) for rule in held["rules"]] if held["identity"] == number else []
        except (OSError, ValueError, KeyError, TypeError):
            return []

    def save(self, rules: Sequence[str]) -> None:
        """Add rules. Raises `OSError`."""
        self._hold(list(dict.fromkeys((*self.load(), *rules))))

    def remove(self, rules: Sequence[str]) -> None:
        """Take rules back. Raises `OSError`."""
        self._hold([rule for rule in self.load() if rule not in rules])

    def _hold(self, rules: Sequence[str]) -> None:
        path, number = identity(self._folder)
        replace_file(self._file(path), {"folder": path, "identity": number, "rules": rules})

    def _file(self, path: str) -> Path:
        return self._files / f"{sha256(path.encode('utf-8', 'surrogateescape')).hexdigest()}.json"
