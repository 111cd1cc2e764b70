"""What the agent changed in a session and the user has not judged yet: the fold of its facts."""

import os
from collections.abc import Iterable
from typing import Any, Literal, NamedTuple

from agls.diff import Hunk, read_patch
from agls.doors import from_wire
from agls.engine.facts import Entry, Noted, Rewound, ToolFinished
from agls.engine.ports import new_id
from agls.engine.vocabulary import FileChange
from agls.views import wire_json

ROOM, JUDGED = "review", "judged"
Verdict = Literal["kept", "reverted", "restored"]


class Pending(NamedTuple):
    """A change; `line` is where it should stand now, if nobody else changed the file.

    `undone` is the change as it stood when it was reverted, if it was: in the editor that can be undone,
    and then it `waits` to be judged again.
    """

    hunk_id: str
    uri: str
    hunk: Hunk
    line: int
    undone: Hunk | None = None
    waits: bool = True


def kept(hunk_id: str) -> Noted:
    """The user is content with a change."""
    return Noted(ROOM, JUDGED, {"hunk": hunk_id, "verdict": "kept"})


def reverted(hunk_id: str, change: FileChange, stood: Hunk) -> Noted:
    """The user took a change back where it stood, which changed the file so."""
    around = {"before": stood.before, "after": stood.after, "line": stood.line}
    data = {"hunk": hunk_id, "verdict": "reverted", "itemId": new_id("item"), "stood": around}
    return Noted(ROOM, JUDGED, {**data, "change": wire_json.change(change)})


def in_the_editor(hunk_id: str, verdict: Verdict) -> Noted:
    """The user undid in the editor that a change was reverted (it is restored), or did it once more."""
    return Noted(ROOM, JUDGED, {"hunk": hunk_id, "verdict": verdict})


class Review:
    """The changes of one session, by file. Facts that were taken already change nothing."""

    def __init__(self) -> None:
        self.seq = 0
        self._known: dict[str, Pending] = {}

    def take(self, entries: Iterable[Entry]) -> None:
        """These facts come next."""
        for entry in entries:
            if entry.seq <= self.seq:
                continue
            self.seq = entry.seq
            match entry.fact:
                case ToolFinished(call_id, outcome):
                    for number, change in enumerate(outcome.changes):
                        self._changed(f"{call_id}/{number}", change)
                case Rewound(changes=changes):
                    for change in changes:
                        self._forget(change.uri)
                case Noted(feature="checkpoints", kind="made", data=data) if "runId" not in data:  # a restore
                    for file in data["files"]:
                        self._forget(file["uri"])
                case Noted(feature="review", kind="judged", data=data):
                    self._judged(str(data.get("hunk", "")), str(data.get("verdict", "")), data.get("stood"))
                case _:
                    pass

    def find(self, hunk_id: str) -> Pending | None:
        """The change with this id, if nobody has judged it."""
        known = self._known.get(hunk_id)
        return known if known and known.waits else None

    def all(self) -> list[Pending]:
        """All changes that wait, in the order in which they were made."""
        return [known for known in self._known.values() if known.waits]

    def of(self, uri: str) -> list[Pending]:
        """The changes of one file that wait, under whatever spelling of its path."""
        return _of(self.all(), uri)

    def undone(self, uri: str) -> list[Pending]:
        """The changes of one file that were reverted, also those that wait again."""
        return _of([known for known in self._known.values() if known.undone], uri)

    def _changed(self, name: str, change: FileChange) -> None:
        if change.change == "deleted":
            self._forget(change.uri)
        hunks = read_patch(change.patch) if change.change != "deleted" else []
        for hunk in reversed(hunks):
            self._shift(change.uri, hunk.was + len(hunk.old), len(hunk.new) - len(hunk.old))
        for number, hunk in enumerate(hunks):
            for known in list(self._known.values()):  # reverted, and now the agent makes it once more
                if not known.waits and known.uri == change.uri and _same(known.hunk, hunk):
                    del self._known[known.hunk_id]
            hunk_id = f"{name}/{number}"
            self._known[hunk_id] = Pending(hunk_id, change.uri, hunk, hunk.line)

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
        self._known[hunk_id] = known._replace(waits=waits, undone=undone)

    def _shift(self, uri: str, behind: int, by: int) -> None:
        """Lines came or went: what stands behind them stands elsewhere now."""
        for hunk_id, known in self._known.items():
            if known.uri == uri and known.line >= behind:
                self._known[hunk_id] = known._replace(line=known.line + by)

    def _forget(self, uri: str) -> None:
        self._known = {i: known for i, known in self._known.items() if known.uri != uri}


def _of(changes: list[Pending], uri: str) -> list[Pending]:
    path = real_path(uri) if changes else ""
    same = {known for known in {change.uri for change in changes} if real_path(known) == path}
    return [change for change in changes if change.uri in same]


def _same(one: Hunk, other: Hunk) -> bool:
    return (one.old, one.new) == (other.old, other.new)


def _undone(known: Pending, stood: Any) -> Hunk:
    before, after = tuple(stood["before"]), tuple(stood["after"])
    return known.hunk._replace(before=before, after=after, line=stood["line"])


def real_path(uri: str) -> str:
    """The path of a file's URI with links resolved; the URI itself when it is none of this machine."""
    try:
        return os.path.realpath(from_wire.path(uri))
    except (from_wire.Malformed, ValueError):
        return uri
