"""Tools that a run does without, because a skill says so that was loaded in it: it may only forbid.

Whoever works for such a run does without them, too (`DENIED_TOOLS`).
"""

from agls.engine.state import State
from agls.json_values import is_object, list_in, object_in, text_in
from agls.room.opened_folders import LOADED, ROOM

# Which tools a helper does without, each with whose word that is. Only agls sets it.
DENIED_TOOLS = "deniedTools"
BY_SKILL = "{} says to do without the tool {} while it is used."


def denied_in(state: State) -> dict[str, str]:
    """**Returns** the tools that this run does without, each with whose word that is; `mcp__x__*` is many."""
    denied = {name: text_in(by) for name, by in object_in(state.settings, DENIED_TOOLS).items()}
    for note in state.notes.get(ROOM, ()):
        if note.kind == LOADED and note.data.get("runId") == state.run_id:
            denied |= dict.fromkeys(map(str, list_in(note.data.get("denies"))), text_in(note.data.get("by")))
    return denied


def denial_of(tool: str, state: State) -> str:
    """**Returns** why this run does without a tool, "" when it does not."""
    if not (is_object(state.settings.get(DENIED_TOOLS)) or state.notes.get(ROOM)):
        return ""
    for name, by in denied_in(state).items():
        if name == tool or (name.endswith("*") and tool.startswith(name[:-1])):
            return BY_SKILL.format(by, tool)
    return ""
