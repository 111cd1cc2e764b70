"""A session told once more, from its journal."""

from collections.abc import Iterable

from aglet.doors.fold import Transcript
from aglet.doors.to_wire import Translator
from aglet.engine.facts import Entry
from aglet.engine.vocabulary import JsonObject


class Replay:
    """A session told once more, from its first fact on."""

    def __init__(self, session_id: str, epoch: str) -> None:
        self.seq = 0
        self.events: list[JsonObject] = []
        self.transcript = Transcript()
        self._translator = Translator(session_id, epoch)

    def take(self, entries: Iterable[Entry]) -> None:
        """These facts come next."""
        for entry in entries:
            self.seq = entry.seq
            told = self._translator.events(entry)
            self.events += told
            for event in told:
                self.transcript.take(event)
