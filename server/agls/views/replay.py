"""A session told once more, from its journal."""

from collections.abc import Iterable

from agls.engine.facts import Entry
from agls.engine.vocabulary import JsonObject
from agls.views.events import place_of
from agls.views.project import Translator
from agls.views.transcript import Transcript


class Replay:
    """A session told once more, from its first fact on, with all its events."""

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

    def behind(self, seq: int) -> list[JsonObject]:
        """The events behind this fact."""
        return [event for event in self.events if place_of(event) > seq]


def end_of(run_id: str, session_id: str, entries: Iterable[Entry]) -> JsonObject:
    """What `runEnded` said of a run that is over. Raises `KeyError` when these facts do not hold its end."""
    translator = Translator(session_id, "")
    told = (event for entry in entries for event in translator.events(entry))
    ends = {event["runId"]: event["data"] for event in told if event["type"] == "runEnded"}
    return ends[run_id]
