"""What the session knows of its children: who worked for which call, and how that ended."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from agls.engine.note_items import ChildEnd, ChildStart, NoteItem, NoteRow
from agls.engine.ports import JournalBusy, JournalError
from agls.engine.spawning import Spawner
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, StopReason
from agls.frozen import frozen

ROOM = "subagents"
BEGUN = "begun"
RETURNED = "returned"
CUT_OFF = "interrupted"


@frozen
class Child:
    """A child and what it did for one call; `status` is "" while it works, `reason` says why it failed."""

    session_id: str
    call_id: str
    run_id: str
    label: str
    agent: str = ""
    status: str = ""
    reason: str = ""

    def begun(self) -> JsonObject:
        """Return the data of the note on its beginning."""
        place = {"sessionId": self.session_id, "callId": self.call_id, "runId": self.run_id}
        return {**place, "label": self.label, "agent": self.agent}

    def returned(self) -> JsonObject:
        """Return the data of the note on its end."""
        return {**self.begun(), "status": self.status, "reason": self.reason}


def children_of(state: State) -> Sequence[Child]:
    """Return all that worked for this session, in the order in which they began."""
    known: dict[tuple[str, str], Child] = {}
    for note in state.notes.get(ROOM, ()):
        data = note.data
        key = data["sessionId"], data["callId"]
        if note.kind == BEGUN:
            known[key] = Child(*key, data["runId"], data["label"], data["agent"])
        elif note.kind == RETURNED and key in known:
            known[key] = replace(known[key], status=data["status"], reason=data["reason"])
    return tuple(known.values())


def reason_of(stop: Stop) -> str:
    """Return why a child did not come to its end."""
    return f"{stop.reason.replace('_', ' ')}{f': {stop.detail}' if stop.detail else ''}"


async def settle(spawner: Spawner, at_work: Collection[str] = ()) -> list[Child]:
    """Close what a crash left open below this session; **returns** the children it cut off.

    Nothing is run again. One that another process works on is left to it, and so are those of calls whose
    helpers are `at_work` in the background.
    """
    cut: list[Child] = []
    for child in children_of(spawner.state):
        if child.status or child.call_id in at_work:
            continue
        try:
            async with spawner.open_child(child.session_id) as below:
                if below.state.running:
                    continue
                await settle(below)
                stop = below.state.stop or Stop(StopReason.INTERRUPTED, "it never began")
        except JournalBusy:
            continue
        except JournalError as lost:
            stop = Stop(StopReason.INTERRUPTED, str(lost))
        cut.append(replace(child, status=CUT_OFF, reason=reason_of(stop)))
        spawner.note(ROOM, RETURNED, cut[-1].returned())
    return cut


def _begun(data: JsonObject) -> Sequence[NoteItem]:
    """Return the item of a child that begins; its own events are those of its session."""
    match data:
        case {"sessionId": str(child), "callId": str(call_id), "label": str(label)}:
            return (ChildStart(f"{call_id}.{child}", call_id, label, child),)
        case _:
            return ()


def _returned(data: JsonObject) -> Sequence[NoteItem]:
    """Return the item of a child that ended."""
    match data:
        case {"sessionId": str(child), "callId": str(call_id), "status": str(status)}:
            shown = "cancelled" if status == CUT_OFF else status
            return (ChildEnd(f"{call_id}.{child}", call_id, data["label"], shown, child, data["reason"]),)
        case _:
            return ()


NOTES: Mapping[str, NoteRow] = {BEGUN: _begun, RETURNED: _returned}
