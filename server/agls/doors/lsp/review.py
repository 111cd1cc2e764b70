"""What the agent changed in a session and the user has not judged yet: the fold of its facts."""

import os
from collections.abc import Iterable
from typing import NamedTuple

from agls.doors import from_wire, shapes
from agls.engine.facts import Entry, Noted, Rewound, ToolFinished
from agls.engine.ports import new_id
from agls.engine.vocabulary import FileChange
from agls.hunks import Hunk, read_patch

ROOM, JUDGED = "review", "judged"


class Pending(NamedTuple):
    """A change nobody has judged; `line` is where it should stand now, if nobody else changed the file."""

    hunk_id: str
    uri: str
    hunk: Hunk
    line: int


def kept(hunk_id: str) -> Noted:
    """The user is content with a change."""
    return Noted(ROOM, JUDGED, {"hunk": hunk_id, "verdict": "kept"})


def reverted(hunk_id: str, change: FileChange) -> Noted:
    """The user took a change back, which changed the file so."""
    data = {"hunk": hunk_id, "verdict": "reverted", "itemId": new_id("item")}
    return Noted(ROOM, JUDGED, {**data, "change": shapes.change(change)})


class Review:
    """The changes of one session, by file. Facts that were taken already change nothing."""

    def __init__(self) -> None:
        self.seq = 0
        self._pending: dict[str, Pending] = {}

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
                    self._judged(str(data.get("hunk", "")), str(data.get("verdict", "")))
                case _:
                    pass

    def find(self, hunk_id: str) -> Pending | None:
        """The change with this id, if nobody has judged it."""
        return self._pending.get(hunk_id)

    def all(self) -> list[Pending]:
        """All changes that wait, in the order in which they were made."""
        return list(self._pending.values())

    def of(self, uri: str) -> list[Pending]:
        """The changes of one file, under whatever spelling of its path."""
        path = real_path(uri)
        same = {known for known in {p.uri for p in self._pending.values()} if real_path(known) == path}
        return [pending for pending in self._pending.values() if pending.uri in same]

    def _changed(self, name: str, change: FileChange) -> None:
        if change.change == "deleted":
            self._forget(change.uri)
        hunks = read_patch(change.patch) if change.change != "deleted" else []
        for hunk in reversed(hunks):
            self._shift(change.uri, hunk.was + len(hunk.old), len(hunk.new) - len(hunk.old))
        for number, hunk in enumerate(hunks):
            hunk_id = f"{name}/{number}"
            self._pending[hunk_id] = Pending(hunk_id, change.uri, hunk, hunk.line)

    def _judged(self, hunk_id: str, verdict: str) -> None:
        pending = self._pending.pop(hunk_id, None)
        if pending and verdict == "reverted":
            hunk = pending.hunk
            self._shift(pending.uri, pending.line + len(hunk.new), len(hunk.old) - len(hunk.new))

    def _shift(self, uri: str, behind: int, by: int) -> None:
        """Lines came or went: what stands behind them stands elsewhere now."""
        for hunk_id, pending in self._pending.items():
            if pending.uri == uri and pending.line >= behind:
                self._pending[hunk_id] = pending._replace(line=pending.line + by)

    def _forget(self, uri: str) -> None:
        self._pending = {i: pending for i, pending in self._pending.items() if pending.uri != uri}


def real_path(uri: str) -> str:
    """The path of a file's URI with links resolved; the URI itself when it is none of this machine."""
    try:
        return os.path.realpath(from_wire.path(uri))
    except (from_wire.Malformed, ValueError):
        return uri
