"""What the notes of the room show: files that were kept, and files that a restore changed."""

from collections.abc import Iterator, Mapping, Sequence

from agls.engine.note_items import FileEdit, FilesKept, NoteItem, NoteRow
from agls.engine.vocabulary import JsonObject
from agls.features.checkpoints.timeline import MADE, RESTORED
from agls.toolkit import change_of


def _restored(data: JsonObject) -> Sequence[NoteItem]:
    """Return the beginning of a restore; each file that it changes is noted by itself."""
    match data:
        case {"checkpointId": str(restore)}:
            return (FilesKept(restore, "restore", ()),)
        case _:
            return ()


def _made(data: JsonObject) -> Sequence[NoteItem]:
    """Return the files that were kept, and the file that was put back outside of a call."""
    return (*_kept(data), *_reverted(data))


def _kept(data: JsonObject) -> Iterator[NoteItem]:
    match data:
        case {"by": str(maker), "files": [*states]}:
            by_call = "command" if data.get("command") else "call"
            files = [state["uri"] for state in states if not state.get("lost")]
            if files:
                yield FilesKept(maker, by_call if data.get("runId") else "restore", files)
        case _:
            pass


def _reverted(data: JsonObject) -> Iterator[NoteItem]:
    match data:
        case {"itemId": str(item_id), "change": dict()}:
            yield FileEdit(item_id, "All changes of a file were undone", change_of(data["change"]))
        case _:
            pass


NOTES: Mapping[str, NoteRow] = {RESTORED: _restored, MADE: _made}
