"""The servers that the user switched off, by their names: a small file of the state folder."""

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from agls.config.private import replace_file

FILE = "mcp/off.json"


class Switches:
    """Remembers them, without a folder in memory alone. What cannot be read switches nothing off."""

    def __init__(self, state_folder: Path | None) -> None:
        self._file = state_folder / FILE if state_folder else None
        self._held: frozenset[str] = frozenset()

    @property
    def off(self) -> Collection[str]:
        """The names, as they are kept now."""
        if self._file:
            try:
                said: Any = json.loads(self._file.read_text("utf-8"))
                self._held = frozenset(map(str, said["off"]))
            except (OSError, ValueError, KeyError, TypeError):
                self._held = frozenset()
        return self._held

    def switch(self, name: str, *, on: bool) -> bool:
        """Switch a server. **Returns** whether that changed anything. **Raises** `OSError`."""
        before = frozenset(self.off)
        self._held = before - {name} if on else before | {name}
        if self._file and self._held != before:
            replace_file(self._file, {"off": sorted(self._held)})
        return self._held != before
