"""What the room knows of each file: its states in the order in which they were seen, and who made them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from agls.engine.state import Note
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen

from .states import FileState, state_of

ROOM = "checkpoints"
TOUCHED = "touched"
SEEN = "seen"
MADE = "made"
RESTORED = "restored"


@frozen
class FileStep:
    """A state of a file. `by` is the call or the restore that made it, "" for everybody else.

    `at` is the length of the transcript at that moment, `run_id` the run of a call ("" for a restore).
    """

    at: int
    state: FileState
    by: str = ""
    run_id: str = ""


@frozen
class PastRestore:
    """One restore: the item it went back to, or the restore it undid, or the file it reverted."""

    checkpoint_id: str
    at: int
    to_item: str = ""
    undoes: str = ""
    reverts: str = ""


@frozen
class SessionSpan:
    """A part of a session: from one length of the transcript to another, and one run ("" for all)."""

    since: int = 0
    until: int | None = None
    run_id: str = ""

    def holds(self, at: int, run_id: str) -> bool:
        """Return whether a moment of that run is in the span."""
        in_time = at >= self.since and (self.until is None or at <= self.until)
        return in_time and self.run_id in {"", run_id}


@frozen
class OwnStretch:
    """Changes of ours to one file with nobody's in between: from the state before to the last one."""

    before: FileState
    after: FileState
    steps: tuple[FileStep, ...]


@dataclass(slots=True)
class Timeline:
    """The sum of the room's notes. `commands` are the moments, and the runs, of calls with unknown traces."""

    steps: dict[str, list[FileStep]] = field(default_factory=dict[str, list[FileStep]])
    touched: dict[str, None] = field(default_factory=dict[str, None])
    restores: dict[str, PastRestore] = field(default_factory=dict[str, PastRestore])
    commands: list[tuple[int, str]] = field(default_factory=list[tuple[int, str]])
    _read: int = 0

    def catch_up(self, notes: Sequence[Note]) -> None:
        """Take in the notes that are new; notes are never taken back."""
        for note in notes[self._read :]:
            self._take(note.kind, note.data)
        self._read = len(notes)

    def last(self, path: str) -> FileState | None:
        """Return the state in which a file was seen last."""
        return self.steps[path][-1].state if path in self.steps else None

    def knows(self, path: str, digest: str) -> bool:
        """Return whether this file once had that text."""
        return any(step.state.digest == digest for step in self.steps.get(path, ()))

    def stretches(self, path: str, span: SessionSpan) -> list[OwnStretch]:
        """Return our changes of a file in this span, oldest first."""
        found: list[OwnStretch] = []
        for before, step in pairwise(self.steps.get(path, ())):
            if not step.by or not span.holds(step.at, step.run_id):
                continue
            if found and found[-1].steps[-1] is before:
                found[-1] = OwnStretch(found[-1].before, step.state, (*found[-1].steps, step))
            else:
                found.append(OwnStretch(before.state, step.state, (step,)))
        return found

    def changed(self, span: SessionSpan) -> Iterator[tuple[str, list[OwnStretch]]]:
        """Return the files that we changed in this span."""
        for path in self.steps:
            if found := self.stretches(path, span):
                yield path, found

    def ran(self, span: SessionSpan) -> bool:
        """Return whether something ran in this span whose traces are not all known."""
        return any(span.holds(at, run_id) for at, run_id in self.commands)

    def made_by(self, maker: str) -> Iterator[tuple[FileState, FileState]]:
        """Yield the changes of one call or one restore: each file before and after."""
        for steps in self.steps.values():
            mine = [number for number, step in enumerate(steps) if step.by == maker]
            if mine:
                yield steps[mine[0] - 1].state, steps[mine[-1]].state

    def _take(self, kind: str, data: JsonObject) -> None:
        if kind == TOUCHED:
            self.touched[data["path"]] = None
        elif kind == RESTORED:
            self.restores[data["checkpointId"]] = PastRestore(
                data["checkpointId"],
                data["at"],
                data.get("toItemId", ""),
                data.get("undoes", ""),
                data.get("reverts", ""),
            )
        elif kind in {SEEN, MADE}:
            if data.get("command"):
                self.commands.append((data["at"], data.get("runId", "")))
            for file in data["files"]:
                state = state_of(file)
                step = FileStep(data["at"], state, data.get("by", ""), data.get("runId", ""))
                self.steps.setdefault(state.path, []).append(step)
