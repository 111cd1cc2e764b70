"""The single changes that the agent made in a session: the fold of its facts."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple
from weakref import WeakKeyDictionary

from agls.diff import Hunk, find, guess, read_patch
from agls.engine.facts import Entry, Noted, Rewound, ToolFinished
from agls.engine.vocabulary import FileChange, JsonObject
from agls.room.session_ports import SessionFacts

ROOM, JUDGED = "review", "judged"  # of the notes that say what became of a change
Verdict = Literal["kept", "reverted", "restored"]  # restored: it was reverted, and stands again
MOVED_ON = (
    "This change is not there any more as agls wrote it, or could be in several places. Nothing was undone."
)


class AgentChange(NamedTuple):
    """One single change of the agent.

    `number` counts the changes of its file from 1. `line` is where the change should stand now, zero-based,
    if nobody else changed the file. `added` says that it made the file. A change `waits` until it is kept or
    undone. `undone` is the change as it stood when it was undone last; one that stands again waits again.
    `seq` is the fact that said last what became of it. `by_cell`: its lines are those of a notebook's cells
    (`room/cell_lines.py`), not of the file.
    """

    hunk_id: str
    uri: str
    hunk: Hunk
    line: int
    number: int
    added: bool
    undone: Hunk | None = None
    waits: bool = True
    seq: int = 0
    by_cell: bool = False

    def locate(self, lines: Sequence[str]) -> tuple[int, bool]:
        """Return the line where the change stands in this text, and whether it does.

        The line of a change that does not stand there is where it most likely stood.
        """
        found = find(self.hunk, lines, self.line)
        return (guess(self.hunk, lines, self.line), False) if found is None else (found, True)

    def row(self, lines: Sequence[str] | None) -> JsonObject:
        """Return the change for programs, and where it stands in these lines (`None`: that is not known)."""
        line, stands = (self.line, None) if lines is None else self.locate(lines)
        shown: JsonObject = {"hunk": self.hunk_id, "uri": self.uri, "number": self.number, "line": line}
        texts = {"old": "".join(self.hunk.old), "new": "".join(self.hunk.new)}
        if self.by_cell:
            from agls.room.cell_lines import content_of, place_of  # noqa: PLC0415 - few changes are

            shown |= place_of(lines, line)._asdict() if lines is not None else {}
            texts = {"old": content_of(self.hunk.old), "new": content_of(self.hunk.new)}
        return {**shown, **texts, **({} if stands is None else {"stands": stands})}


class SessionChanges:
    """The changes of one session, in the order in which they were made."""

    def __init__(self) -> None:
        self.seq = 0
        self._known: dict[str, AgentChange] = {}
        self._undoing: dict[str, str] = {}  # by restore: the one that it undoes
        self._gone: dict[str, dict[str, list[AgentChange]]] = {}  # by restore and file: the changes it took
        self._numbers: dict[str, int] = {}  # the last of each file; a number is never given again

    def take(self, entries: Iterable[Entry]) -> None:
        """Take in the facts that come next. Facts that were taken in before change nothing."""
        for entry in entries:
            if entry.seq <= self.seq:
                continue
            self.seq = entry.seq
            match entry.fact:
                case ToolFinished(call_id, outcome):
                    for number, change in enumerate(outcome.changes):
                        self._changed(f"{call_id}/{number}", change)
                case Rewound(rewind_id, undoes=undoes, changes=changes):
                    self._restored(rewind_id, undoes, [change.uri for change in changes])
                case Noted(feature="checkpoints", kind="restored", data=data):
                    self._undoing[data["checkpointId"]] = data.get("undoes", "")
                case Noted(feature="checkpoints", kind="made", data=data) if "runId" not in data:  # a restore
                    restore_id, uris = data.get("by", ""), [file["uri"] for file in data["files"]]
                    self._restored(restore_id, self._undoing.get(restore_id, ""), uris)
                case Noted(feature=feature, kind=kind, data=data) if (feature, kind) == (ROOM, JUDGED):
                    self._judged(str(data.get("hunk", "")), str(data.get("verdict", "")), data.get("stood"))
                case _:
                    pass

    def waiting(self) -> list[AgentChange]:
        """List the changes that are neither kept nor undone."""
        return [known for known in self._known.values() if known.waits]

    def undone(self) -> list[AgentChange]:
        """List the changes that are undone, the one that was undone first at the beginning."""
        return [known for known in self.once_undone() if not known.waits]

    def once_undone(self) -> list[AgentChange]:
        """List the changes that were undone at least once, also those that stand again."""
        return sorted((known for known in self._known.values() if known.undone), key=lambda known: known.seq)

    def _changed(self, name: str, change: FileChange) -> None:
        if change.change == "deleted":
            self._forget(change.uri)
        hunks = read_patch(change.patch) if change.change != "deleted" else []
        for hunk in reversed(hunks):
            self._shift(change.uri, hunk.was + len(hunk.old), len(hunk.new) - len(hunk.old))
        for place, hunk in enumerate(hunks):
            for known in list(self._known.values()):  # undone, and now the agent makes it once more
                if not known.waits and known.uri == change.uri and _same(known.hunk, hunk):
                    del self._known[known.hunk_id]
            number = self._numbers[change.uri] = self._numbers.get(change.uri, 0) + 1
            hunk_id, added = f"{name}/{place}", change.change == "added"
            self._known[hunk_id] = AgentChange(
                hunk_id, change.uri, hunk, hunk.line, number, added, by_cell=change.by_cell
            )

    def _judged(self, hunk_id: str, verdict: str, stood: Any) -> None:
        known = self._known.get(hunk_id)
        waits = verdict == "restored"
        if known is None or known.waits is waits:
            return
        if verdict == "kept":
            del self._known[hunk_id]
            return
        there, then = (known.hunk.old, known.hunk.new) if waits else (known.hunk.new, known.hunk.old)
        self._shift(known.uri, known.line + len(there), len(then) - len(there))
        undone = _undone(known, stood) if stood else known.undone or known.hunk
        self._known[hunk_id] = known._replace(waits=waits, undone=undone, seq=self.seq)

    def _shift(self, uri: str, behind: int, by: int) -> None:
        """Move the changes from this line on: lines before them came or went."""
        for hunk_id, known in self._known.items():
            if known.uri == uri and known.line >= behind:
                self._known[hunk_id] = known._replace(line=known.line + by)

    def _restored(self, restore_id: str, undoes: str, uris: Sequence[str]) -> None:
        """Forget the changes of files that went back; those that an undone restore took are known again."""
        gone, taken = self._gone.setdefault(restore_id, {}), self._gone.get(undoes, {})
        for uri in uris:
            gone.setdefault(uri, [known for known in self._known.values() if known.uri == uri])
            self._forget(uri)
            self._known |= {known.hunk_id: known for known in taken.get(uri, ())}

    def _forget(self, uri: str) -> None:
        self._known = {i: known for i, known in self._known.items() if known.uri != uri}


def verdict(hunk_id: str, said: Verdict) -> JsonObject:
    """Return the data of the note that says what became of a change."""
    return {"hunk": hunk_id, "verdict": said}


_sessions = WeakKeyDictionary[SessionFacts, SessionChanges]()


async def changes_of(facts: SessionFacts) -> SessionChanges:
    """Return the changes of a session up to now; only what is new is read. **Raises** `JournalError`."""
    changes = _sessions.setdefault(facts, SessionChanges())
    changes.take(await asyncio.to_thread(facts.entries, changes.seq))
    return changes


def changes_read(facts: SessionFacts) -> SessionChanges:
    """Return the changes of a session as far as they were read, without reading."""
    return _sessions.setdefault(facts, SessionChanges())


def _same(one: Hunk, other: Hunk) -> bool:
    return (one.old, one.new) == (other.old, other.new)


def _undone(known: AgentChange, stood: Any) -> Hunk:
    before, after = tuple(stood["before"]), tuple(stood["after"])
    return known.hunk._replace(before=before, after=after, line=stood["line"])
