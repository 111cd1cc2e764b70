"""The user's files that decide what runs unasked, and whether something changed them while a command ran."""

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from pathlib import Path
from threading import Lock
from typing import Any

from agls.config.folders import AGENTS, MEMORY
from agls.config.private import replace_file
from agls.engine.vocabulary import JsonObject
from agls.workspace.protected import KEYS, SEAL

CONSENTS = "consents.json"  # what of folders and plugins the user let act
PLUGINS = "plugins.json"  # which plugins the user installed
COMMANDS = "commands"  # the user's own, beside the config file
SKILLS = "skills"  # in the same place
NOTED = "changed.json"  # what changed, until the user looked
LARGEST = 1_000_000  # bytes of one file that are compared
MOST_FILES = 500  # in one folder


class GuardedFiles:
    """Compares the files before and after commands. Safe to use from several threads.

    A change is remembered, for later processes too, until `accept`. What agls itself writes is none.
    `lasting` is whether a command goes on in the background.
    """

    def __init__(self, state_folder: Path, config_file: Path) -> None:
        self.state_folder, self._config = state_folder, config_file
        self._noted = state_folder / NOTED
        self._known: dict[Path, str] = {}
        self._running, self.lasting = 0, False
        self._changed = self._read()
        self._lock = Lock()

    @property
    def changed(self) -> Sequence[str]:
        """The files that changed and that the user did not look at since."""
        return sorted(self._changed)

    def begin(self) -> None:
        """A command is about to run. What changed while none did is not its doing."""
        with self._lock:
            if not (self._running or self.lasting):
                self._known = self._digests()
            self._running += 1

    def end(self, *, lasting: bool) -> Sequence[str]:
        """The command ended, or goes on in the background (`lasting`).

        **Returns** the files that changed since the last look.
        """
        with self._lock:
            self._running -= 1
            self.lasting = self.lasting or lasting
            return self._look()

    def look(self) -> Sequence[str]:
        """Look while something may go on in the background. **Returns** what changed since the last look."""
        with self._lock:
            return self._look() if self.lasting else ()

    def accept(self) -> None:
        """The user looked at the files as they are. **Raises** `OSError`."""
        with self._lock:
            self._noted.unlink(missing_ok=True)
            self._changed.clear()
            self._known = self._digests()

    def write(self, file: Path, content: JsonObject) -> None:
        """Make this the content of a file of agls. **Raises** `OSError`."""
        with self._lock:
            replace_file(file, content)
            self._settle(file)

    def settle(self, file: Path) -> None:
        """agls itself made this file."""
        with self._lock:
            self._settle(file)

    def _settle(self, file: Path) -> None:
        if digest := _digest(file):
            self._known[file] = digest

    def _look(self) -> Sequence[str]:
        now = self._digests()
        changed = sorted(str(file) for file in {*now, *self._known} if now.get(file) != self._known.get(file))
        self._known = now
        if changed:
            self._changed.update(changed)
            with suppress(OSError):  # then this process alone knows
                replace_file(self._noted, {"files": sorted(self._changed)})
                self._settle(self._noted)
        return changed

    def _digests(self) -> dict[Path, str]:
        return {file: digest for file in self._files() if (digest := _digest(file))}

    def _files(self) -> Iterator[Path]:
        yield from (self.state_folder / name for name in ("trust.json", CONSENTS, PLUGINS, SEAL, KEYS, NOTED))
        yield self._config
        yield self._config.with_name("AGENTS.md")
        beside = (self._config.with_name(name) for name in (AGENTS, MEMORY, COMMANDS, SKILLS))
        for folder in (self.state_folder / "grants", *beside):
            with suppress(OSError):
                found = islice(folder.rglob("*"), MOST_FILES)
                yield from (file for file in found if file.suffix in {".json", ".toml", ".md"})

    def _read(self) -> set[str]:
        try:
            held: dict[str, Any] = json.loads(self._noted.read_text("utf-8"))
            return {str(name) for name in held["files"]}
        except (FileNotFoundError, NotADirectoryError):  # there may be no state folder at all
            return set()
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return {str(self._noted)}


def _digest(file: Path) -> str:
    """What is in a file, "" when it is not there; where a link leads counts as well."""
    try:
        if not file.is_file():
            return ""
        link = str(file.readlink()) if file.is_symlink() else ""
        with file.open("rb") as stream:
            return sha256(link.encode("utf-8", "surrogateescape") + stream.read(LARGEST)).hexdigest()
    except OSError:
        return ""
