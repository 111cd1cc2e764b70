"""The notes of the room: each is a whole plan. The plan that holds follows from them and from the rewinds."""

from collections.abc import Mapping, Sequence
from typing import Any

from agls.engine.facts import Compacted, Entry, Noted, Rewound
from agls.engine.history import name_of
from agls.engine.note_items import NoteItem, NoteRow, PlanEntry, PlanShown
from agls.engine.ports import new_id
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Message, ToolResult
from agls.features.plan.entries import Plan, checklist, title_of
from agls.frozen import frozen
from agls.room.ports import SessionFacts

ROOM, CHANGED = "plan", "changed"
USER = "user"


@frozen
class NotedPlan:
    """A plan as it was noted `by` the user or the model, when the transcript had `at` messages."""

    plan: Plan = Plan()
    by: str = ""
    at: int = 0


class PlanRecord:
    """The plan of a session at any time. It reads each fact once."""

    def __init__(self, facts: SessionFacts) -> None:
        self._facts = facts
        self._seq = 0
        self._changes: tuple[NotedPlan, ...] = ()
        self._before: dict[str, tuple[NotedPlan, ...]] = {}  # a rewind, or a summary

    def last(self, state: State) -> NotedPlan:
        """Return the change that holds. **Raises** `JournalError`."""
        if ROOM not in state.notes:
            return NotedPlan()
        for entry in self._facts.entries(self._seq):
            self._seq = entry.seq
            self._take(entry, state)
        return self._changes[-1] if self._changes else NotedPlan()

    def _take(self, entry: Entry, state: State) -> None:
        match entry.fact:
            case Noted(room, kind, data) if (room, kind) == (ROOM, CHANGED):
                self._changes = (*self._changes, _change(data))
            case Compacted(item_id):
                self._before[item_id] = self._changes
            case Rewound(checkpoint_id, item_id, keep, undoes):
                self._before[checkpoint_id] = self._changes
                if undoes or keep is not None:
                    self._changes = self._back(undoes or item_id, state.transcript)
            case _:
                pass

    def _back(self, to: str, transcript: Sequence[Message]) -> tuple[NotedPlan, ...]:
        """Return the changes up to an item ("" is the beginning), or before the rewind with this id."""
        if to in self._before:
            return self._before[to]
        length = _length(transcript, to)
        return tuple(change for change in self._changes if change.at <= length)


def note_of(plan: Plan, by: str, state: State) -> JsonObject:
    """Return the data of the note that makes this the plan."""
    entries = [entry_json(entry) for entry in plan.entries]
    at = len(state.transcript)
    return {"itemId": new_id("item"), "by": by, "at": at, "last": plan.last, "entries": entries}


def entry_json(entry: PlanEntry) -> JsonObject:
    """Return an entry as notes, and programs, have it."""
    return {"id": entry.id, "text": entry.text, "state": entry.state, "after": list(entry.after)}


def _change(data: JsonObject) -> NotedPlan:
    entries = tuple(_entry(**entry) for entry in data["entries"])
    return NotedPlan(Plan(entries, data["last"]), data["by"], data["at"])


def _entry(*, after: Sequence[int], **members: Any) -> PlanEntry:
    return PlanEntry(after=tuple(after), **members)


def _length(transcript: Sequence[Message], item_id: str) -> int:
    """Return how many messages stand up to this item, with the results that belong to it."""
    places = (place for place, message in enumerate(transcript, 1) if name_of(message) == item_id)
    length = next(places, 0) if item_id else 0
    while 0 < length < len(transcript) and isinstance(transcript[length], ToolResult):
        length += 1
    return length


def _shown(data: JsonObject) -> Sequence[NoteItem]:
    plan = _change(data).plan
    return (PlanShown(data["itemId"], title_of(plan), checklist(plan), plan.entries),)


NOTES: Mapping[str, NoteRow] = {CHANGED: _shown}
