"""Where the next command of a session begins, as the notes of the room `shell` say."""

from agls.engine.state import State

ROOM, FOLDER = "shell", "folder"


def folder_in(state: State) -> str:
    """**Returns** the folder, "" for the root of the workspace."""
    folders = [note.data["folder"] for note in state.notes.get(ROOM, ()) if note.kind == FOLDER]
    return folders[-1] if folders else ""
