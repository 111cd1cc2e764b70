"""What the notes of the room show: the answer that fits."""

from collections.abc import Mapping, Sequence

from agls.engine.note_items import NoteItem, NoteRow, RunOutput
from agls.engine.vocabulary import JsonObject

ROOM, RESULT = "output_schema", "result"


def _shown(data: JsonObject) -> Sequence[NoteItem]:
    """Return the answer of the run, for whoever waits for its end."""
    return (RunOutput(data["output"]),) if "output" in data else ()


NOTES: Mapping[str, NoteRow] = {RESULT: _shown}
