"""The memory in its files: read, and changed by the user or with their consent."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Literal

from agls.engine.ports import Clock
from agls.features.memory.entries import (
    EntryOrigin,
    MemoryEntry,
    entries_in,
    with_change,
    with_entry,
    without_entries,
)
from agls.features.memory.messages import Remembered
from agls.features.memory.wording import MemoryProblem, checked, for_model
from agls.frozen import frozen
from agls.room.memory_ports import MemoryFile, MemoryFiles
from agls.room.process_ports import HeldKeys

About = Literal["project", "user"]
By = Literal["user", "model"]
FILES: tuple[About, ...] = ("user", "project")
MOVED = "The memory was changed meanwhile, and this entry is not there any more: look again with /memory."
UNWRITTEN = "The memory cannot be kept: {}"


@frozen
class NumberedEntry:
    """An entry with the number under which the user sees it, and the file that it is in."""

    number: int
    about: About
    entry: MemoryEntry


@frozen
class MemoryRecord:
    """The memory of one run. All methods raise `MemoryProblem`, for a file that cannot be read as well."""

    files: MemoryFiles
    keys: HeldKeys
    clock: Clock

    def entries(self) -> Sequence[NumberedEntry]:
        """**Returns** all entries, those of the user first, each file's oldest first."""
        user = [NumberedEntry(number, "user", entry) for number, entry in enumerate(self._in("user"), 1)]
        own = enumerate(self._in("project"), len(user) + 1)
        return [*user, *(NumberedEntry(number, "project", entry) for number, entry in own)]

    def for_model(self) -> Remembered:
        """**Returns** the entries as the model reads them."""
        user, project = self._in("user"), self._in("project")
        if not (user or project):
            return Remembered()
        read = for_model(self.keys())
        return Remembered(tuple(map(read, user)), tuple(map(read, project)))

    def path(self, about: About) -> str:
        """**Returns** the path of a file."""
        return self.file(about).path

    def file(self, about: About) -> MemoryFile:
        """**Returns** a file."""
        return self.files.user if about == "user" else self.files.project

    def heading(self, about: About) -> str:
        """**Returns** the heading of a new file."""
        return "For everything" if about == "user" else f"For {self.files.folder}"

    def checked(self, text: str) -> str:
        """**Returns** a text as it would be written."""
        return checked(text, self.keys())

    def same(self, about: About, text: str) -> MemoryEntry | None:
        """**Returns** the entry with these words, `None` where there is none."""
        wanted = _words(text)
        return next((entry for entry in self._in(about) if _words(entry.text) == wanted), None)

    def add(self, about: About, text: str, by: By, session_id: str = "") -> str:
        """Write an entry, unless its words are there. **Returns** the text that was written."""
        entry, origin = self.checked(text), self._origin(by, session_id)

        def edit(before: str) -> str:
            known = {_words(each.text) for each in entries_in(before)}
            return (
                before if _words(entry) in known else with_entry(before, self.heading(about), entry, origin)
            )

        self._change(about, edit)
        return entry

    def replace(self, about: About, old: MemoryEntry, text: str, by: By, session_id: str = "") -> str:
        """Write another text in the place of an entry. **Returns** the text that was written."""
        entry, origin = self.checked(text), self._origin(by, session_id)
        self._change(about, lambda before: with_change(before, _found(before, old), entry, origin))
        return entry

    def forget(self, about: About, gone: Sequence[MemoryEntry]) -> None:
        """Take entries out of a file."""
        if gone:
            self._change(
                about, lambda before: without_entries(before, [_found(before, entry) for entry in gone])
            )

    def _in(self, about: About) -> Sequence[MemoryEntry]:
        try:
            return entries_in(self.file(about).read())
        except OSError as problem:
            why = f"{problem.strerror or problem} ({self.file(about).path})"
            raise MemoryProblem(f"The memory cannot be read: {why}") from problem

    def _change(self, about: About, edit: Callable[[str], str]) -> None:
        try:
            self.file(about).change(edit)
        except OSError as problem:
            from agls.disk_space import why_unwritten  # noqa: PLC0415 - a disk is seldom full

            why = why_unwritten(problem)
            raise MemoryProblem(UNWRITTEN.format(why)) from problem

    def _origin(self, by: By, session_id: str) -> EntryOrigin:
        return EntryOrigin(
            f"{datetime.fromtimestamp(self.clock.now()).astimezone():%Y-%m-%d}", by, session_id
        )


def _found(text: str, wanted: MemoryEntry) -> MemoryEntry:
    found = next((entry for entry in entries_in(text) if entry.text == wanted.text), None)
    if found is None:
        raise MemoryProblem(MOVED)
    return found


def _words(text: str) -> str:
    return " ".join(text.casefold().split())
