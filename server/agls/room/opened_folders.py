"""Folders outside of the workspace that were opened for reading only, as the notes of a session have them.

A skill that is loaded opens its folder: its files are read like those of the workspace, and a question about
a command that names one of them says whose it is.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import cast

from agls.engine.state import State
from agls.frozen import frozen
from agls.json_values import list_in, text_in
from agls.room.permission_memory import Grants

ROOM, LOADED = "skills", "loaded"  # whose notes they are
REACHED = "reached"  # the kind of the notes that name folders below with skills
NAMES_IT = "The call names files of {}."
SUGGESTS = "{} suggests to allow without a question: {}. That is a wish of its file and allows nothing."


@frozen
class OpenedFolder:
    """A folder with links resolved, whose it is (`by`), and what that suggests to allow in this run."""

    path: str
    by: str
    wishes: tuple[str, ...] = ()


def seal_of(grants: Grants, path: str) -> str:
    """**Returns** the mark of a folder that agls opened in this session."""
    return grants.mark([ROOM, path])


def opened_in(state: State, grants: Grants) -> Sequence[OpenedFolder]:
    """**Returns** the folders that are open in a session; what else wrote such a note opens nothing."""
    opened: dict[str, OpenedFolder] = {}
    for note in state.notes.get(ROOM, ()):
        path = text_in(note.data.get("folder"))
        if note.kind != LOADED or not path:
            continue
        if grants.vouch([ROOM, path], text_in(note.data.get("seal"))):
            is_now = note.data.get("runId") == state.run_id
            wishes = tuple(str(each) for each in list_in(note.data.get("wishes"))) if is_now else ()
            opened[path] = OpenedFolder(path, text_in(note.data.get("by")), wishes)
    return list(opened.values())


def remarks_on(arguments: Mapping[str, object], opened: Sequence[OpenedFolder]) -> Iterator[str]:
    """**Yields** what a question about a call with these arguments says of the open folders."""
    texts = [*_texts(arguments)]
    for folder in opened:
        if any(folder.path in text for text in texts):
            yield NAMES_IT.format(folder.by)
        if folder.wishes:
            yield SUGGESTS.format(folder.by, ", ".join(folder.wishes))


def _texts(value: object) -> Iterator[str]:
    match value:
        case str():
            yield value
        case Mapping():
            for each in cast("Mapping[object, object]", value).values():
                yield from _texts(each)
        case list() | tuple():
            for each in cast("Sequence[object]", value):
                yield from _texts(each)
        case _:
            pass
