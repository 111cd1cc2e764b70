"""The facts that the room notes. Old journals have them: their names and members stay as they are."""

from collections.abc import Mapping, Sequence

from agls.diff import Hunk
from agls.engine.note_items import FileEdit, NoteItem, NoteRow
from agls.engine.ports import new_id
from agls.engine.vocabulary import FileChange, JsonObject
from agls.room.agent_changes import JUDGED
from agls.toolkit import change_json, change_of


def edit(change: FileChange) -> JsonObject:
    """Return the members that make an item of what a verdict did to a file."""
    return {"itemId": new_id("item"), "change": change_json(change)}


def place(stood: Hunk) -> JsonObject:
    """Return the member that says where, and between which lines, a change stood when it was undone."""
    return {"stood": {"before": stood.before, "after": stood.after, "line": stood.line}}


def _shown(data: JsonObject) -> Sequence[NoteItem]:
    """Return the edit that a verdict made, if it made one."""
    match data:
        case {"itemId": str(item_id), "change": dict()}:
            again = data.get("verdict") == "restored"
            title = f"A change of the agent was {'made again' if again else 'undone'}"
            return (FileEdit(item_id, title, change_of(data["change"])),)
        case _:
            return ()


NOTES: Mapping[str, NoteRow] = {JUDGED: _shown}
