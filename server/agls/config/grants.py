"""Permissions for a project, kept in the user's own state folder, never in the project."""

import json
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

from agls.config.own_files import GuardedFiles
from agls.config.private import identity
from agls.config.seal import Seal

KIND, SESSION = "grants", "session grants"
FOREIGN = (
    "{} is ignored: it does not have the mark that agls puts on what you allow, so something else wrote or "
    "changed it. What you allow again replaces it."
)


class FolderGrants:
    """The permissions room's `Grants` for one session in one folder.

    The file is keyed, as trust is, by what the folder really is, and counts only with the mark of agls.
    """

    def __init__(self, files: GuardedFiles, seal: Seal, folder: Path | str, session_id: str = "") -> None:
        self._files, self._seal = files, seal
        self._folder, self._session = folder, session_id
        self.ignored = ""

    def load(self) -> Sequence[str]:
        """**Returns** the saved rules; none when they cannot be read or belong to another folder.

        `ignored` says afterwards why a file that is there does not count, "" when it does.
        """
        self.ignored = ""
        try:
            path, number = identity(Path(self._folder))
            file = self._file(path)
            held: dict[str, Any] = json.loads(file.read_text("utf-8"))
            mark = held.pop("seal", "")
            if not self._seal.proves(KIND, held, mark):
                self.ignored = FOREIGN.format(file)
                return []
            return [str(rule) for rule in held["rules"]] if held["identity"] == number else []
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return []

    def save(self, rules: Sequence[str]) -> None:
        """Add rules. **Raises** `OSError`."""
        self._hold(list(dict.fromkeys((*self.load(), *rules))))

    def remove(self, rules: Sequence[str]) -> None:
        """Take rules back. **Raises** `OSError`."""
        self._hold([rule for rule in self.load() if rule not in rules])

    def mark(self, rules: Sequence[str]) -> str:
        """**Returns** the mark of rules that are allowed for the session."""
        return self._seal.sign(SESSION, [self._session, list(rules)])

    def vouch(self, rules: Sequence[str], mark: str) -> bool:
        """**Returns** whether agls allowed these rules for this session."""
        return self._seal.proves(SESSION, [self._session, list(rules)], mark)

    def _hold(self, rules: Sequence[str]) -> None:
        path, number = identity(Path(self._folder))
        held = {"folder": path, "identity": number, "rules": list(rules)}
        self._files.write(self._file(path), {**held, "seal": self._seal.sign(KIND, held)})

    def _file(self, path: str) -> Path:
        name = sha256(path.encode("utf-8", "surrogateescape")).hexdigest()
        return self._files.state_folder / "grants" / f"{name}.json"
