"""The notes of the room: each makes a plan. The plan that holds follows from them and from the rewinds."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from agls.engine.facts import Compacted, Entry, Noted, Rewound
from agls.engine.history import name_of
from agls.engine.note_items import NoteItem, NoteRow, PlanEntry, PlanShown
from agls.engine.ports import new_id
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Message, ToolResult
from agls.features.plan.entries import Plan, checklist, title_of
from agls.frozen import frozen
from agls.room.session_ports import SessionFacts

ROOM = "plan"
CHANGED, APPROVED = "changed", "approved"
PREPARED, MODE_SHOWN = "prepared", "mode"
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
            case Noted(room, kind, data) if room == ROOM and kind in {CHANGED, APPROVED}:
                self._changes = (*self._changes, _change(data, self._changes))
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
    """Return the data of the note `changed` that makes this the plan.

    It says whether there is an approved plan, whose words are in the note `approved` before it.
    """
    entries = [entry_json(entry) for entry in plan.entries]
    members = {"itemId": new_id("item"), "by": by, "at": len(state.transcript), "last": plan.last}
    return {**members, "entries": entries, **({"approved": True} if plan.document else {})}


def approval_of(plan: Plan, by: str, state: State) -> JsonObject:
    """Return the data of the note `approved`."""
    return {**note_of(plan, by, state), "document": plan.document, "file": plan.file}


def entry_json(entry: PlanEntry) -> JsonObject:
    """Return an entry as notes, and programs, have it."""
    return {"id": entry.id, "text": entry.text, "state": entry.state, "after": list(entry.after)}


def _change(data: JsonObject, before: Sequence[NotedPlan]) -> NotedPlan:
    plan = Plan(_entries(data), data["last"], data.get("document", ""), data.get("file", ""))
    if data.get("approved") and not plan.document and before:
        last = before[-1].plan
        plan = replace(plan, document=last.document, file=last.file)
    return NotedPlan(plan, data["by"], data["at"])


def _entries(data: JsonObject) -> tuple[PlanEntry, ...]:
    return tuple(_entry(**entry) for entry in data["entries"])


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
    plan = Plan(_entries(data), data["last"])
    return (PlanShown(data["itemId"], title_of(plan), checklist(plan), plan.entries),)


def _approved(data: JsonObject) -> Sequence[NoteItem]:
    plan = Plan(_entries(data), data["last"])
    text = "\n\n".join(filter(None, (data["document"], checklist(plan))))
    return (PlanShown(data["itemId"], "Approved plan", text, plan.entries),)


NOTES: Mapping[str, NoteRow] = {CHANGED: _shown, APPROVED: _approved}
