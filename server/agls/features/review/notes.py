"""The facts that the room notes. Old journals have them: their names and members stay as they are."""

from collections.abc import Mapping, Sequence
from typing import Literal

from agls.diff import Hunk
from agls.engine.facts import Noted
from agls.engine.note_items import FileEdit, NoteItem, NoteRow
from agls.engine.ports import new_id
from agls.engine.vocabulary import FileChange, JsonObject
from agls.toolkit import change_json, change_of

ROOM, JUDGED = "review", "judged"
Verdict = Literal["kept", "reverted", "restored"]  # restored: it was reverted, and stands again


def verdict(hunk_id: str, said: Verdict) -> JsonObject:
    """Return the data of the fact that says what became of a change."""
    return {"hunk": hunk_id, "verdict": said}


def edit(change: FileChange) -> JsonObject:
    """Return the members that make an item of what a verdict did to a file."""
    return {"itemId": new_id("item"), "change": change_json(change)}


def place(stood: Hunk) -> JsonObject:
    """Return the member that says where, and between which lines, a change stood when it was undone."""
    return {"stood": {"before": stood.before, "after": stood.after, "line": stood.line}}


def seen_in_editor(hunk_id: str, said: Verdict) -> Noted:
    """Return the fact that the editor's own undo or redo changed what became of a change."""
    return Noted(ROOM, JUDGED, verdict(hunk_id, said))


def _shown(data: JsonObject) -> Sequence[NoteItem]:
    """Return the edit that a verdict made, if it made one."""
    match data:
        case {"itemId": str(item_id), "change": dict()}:
            again = data.get("verdict") == "restored"
            title = f"A change of the agent was {'made again' if again else 'reverted'}"
            return (FileEdit(item_id, title, change_of(data["change"])),)
        case _:
            return ()


NOTES: Mapping[str, NoteRow] = {JUDGED: _shown}
