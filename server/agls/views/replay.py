"""A whole session once more, from its facts alone."""

from collections.abc import Iterable

from agls.engine.facts import Entry
from agls.engine.note_items import NoteTable
from agls.engine.vocabulary import JsonObject
from agls.views.project import Projection
from agls.views.transcript import Transcript


class Replay:
    """All events of a session that nobody has open, and the transcript they make."""

    def __init__(self, notes: NoteTable, session_id: str, entries: Iterable[Entry]) -> None:
        self.events: list[JsonObject] = []
        self.transcript = Transcript()
        projection = Projection(notes, session_id, "")
        for entry in entries:
            self.events += projection.events(entry)
        for event in self.events:
            self.transcript.take(event)
