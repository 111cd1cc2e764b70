"""The note of the room: a question and its answer, which clients are shown, and the model is not."""

from collections.abc import Mapping, Sequence

from agls.engine.note_items import NoteItem, NoteRow, SideAnswer
from agls.engine.vocabulary import JsonObject

ROOM, ANSWERED = "side_question", "answered"


def _shown(data: JsonObject) -> Sequence[NoteItem]:
    status = data.get("status", "completed")
    return (SideAnswer(data["itemId"], data["question"], data["answer"], status),)


NOTES: Mapping[str, NoteRow] = {ANSWERED: _shown}
