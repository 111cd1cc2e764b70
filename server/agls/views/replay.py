"""A session once more, from its journal."""

from collections.abc import Iterable

from agls.engine.facts import Entry
from agls.engine.note_items import NoteTable
from agls.engine.vocabulary import JsonObject
from agls.views.events import place_of
from agls.views.project import Projection
from agls.views.transcript import Transcript


class Replay:
    """All events of a session from its first fact on, and the transcript they make."""

    def __init__(self, notes: NoteTable, session_id: str, epoch: str) -> None:
        self.seq = 0
        self.events: list[JsonObject] = []
        self.transcript = Transcript()
        self._projection = Projection(notes, session_id, epoch)

    def take(self, entries: Iterable[Entry]) -> None:
        """Take in the facts that come next."""
        for entry in entries:
            self.seq = entry.seq
            events = self._projection.events(entry)
            self.events += events
            for event in events:
                self.transcript.take(event)

    def behind(self, seq: int) -> list[JsonObject]:
        """Return the events behind this fact."""
        return [event for event in self.events if place_of(event) > seq]


def end_of(notes: NoteTable, run_id: str, session_id: str, entries: Iterable[Entry]) -> JsonObject:
    """Return the data of `runEnded` of a run that is over.

    **Raises** `KeyError` when its end is not among these facts.
    """
    replay = Replay(notes, session_id, "")
    replay.take(entries)
    return replay.transcript.runs[run_id]
