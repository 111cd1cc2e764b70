"""Where the next command of a session begins, as the notes of the room `shell` say."""

from agls.engine.state import State

ROOM, FOLDER = "shell", "folder"


def folder_in(state: State) -> str:
    """**Returns** the folder, "" for the root of the workspace."""
    return folders_in(state)[-1]


def folders_in(state: State) -> list[str]:
    """**Returns** all the folders in which commands began so far, "" for the root of the workspace."""
    return ["", *(note.data["folder"] for note in state.notes.get(ROOM, ()) if note.kind == FOLDER)]
