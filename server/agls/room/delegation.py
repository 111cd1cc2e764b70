"""The names of the tools that hand work to helpers, and what a skill chooses for one."""

from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.json_values import object_in
from agls.room.opened_folders import ROOM

DELEGATE = "delegate"  # the tool for several tasks at once
KINDS = ("agent", "skill")  # of helpers with a tool of their own, such as `agent__reviewer`


CHOSEN = "chosen"  # the kind of a note of the room of skills: the options of helpers of one call


def chosen_for(state: State, call_id: str) -> JsonObject:
    """**Returns** the options of the helpers of a call that a skill of the user chooses."""
    for note in reversed(state.notes.get(ROOM, ())):
        if note.kind == CHOSEN and note.data.get("callId") == call_id:
            return object_in(note.data, "options")
    return {}


def hands_over(tool: str) -> bool:
    """**Returns** whether the tool of this name hands work to helpers."""
    return tool == DELEGATE or tool.startswith(tuple(f"{kind}__" for kind in KINDS))
