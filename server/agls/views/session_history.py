"""What the facts of a session came to, kept up to date, so that a page of it costs what the page costs."""

import threading
from collections.abc import Iterator, Sequence

from agls.engine.facts import Entry
from agls.engine.note_items import NoteTable
from agls.engine.ports import Journal
from agls.engine.vocabulary import JsonObject
from agls.views.events import EventWriter, TranscriptWriter
from agls.views.project import Projection
from agls.views.transcript import Transcript

STRIDE = 512  # facts between two places from which events are made again


class SessionHistory:
    """The transcript of a session, and the events of any part of it. Used by threads and the event loop.

    Only `transcript` grows; the events are made again when somebody asks for them, from the place before.
    """

    def __init__(self, notes: NoteTable, journal: Journal) -> None:
        self.transcript = Transcript()
        self.epoch = journal.epoch
        self._journal = journal
        out = TranscriptWriter(self.transcript)
        self._projection = Projection(notes, journal.session_id, journal.epoch, out=out)
        self._places = [self._copy(self._projection)]  # as it stood before each stride
        self._reading = threading.Lock()

    def catch_up(self) -> None:
        """Take in what was recorded since."""
        with self._reading:
            for entry in self._journal.entries(self.transcript.seq):
                self._projection.events(entry)
                if entry.seq % STRIDE == 0:
                    self._places.append(self._copy(self._projection))

    def facts(self, after: int, before: int, *, backward: bool = False) -> Iterator[list[JsonObject]]:
        """Return the events of each fact behind number `after` and in front of number `before`."""
        strides = range(after // STRIDE, (before - 2) // STRIDE + 1) if before - after > 1 else range(0)
        for stride in reversed(strides) if backward else strides:
            facts = [events for seq, events in self._events(stride) if after < seq < before]
            yield from reversed(facts) if backward else facts

    def entry(self, seq: int) -> Entry:
        """Return the fact of this number."""
        return self._journal.entries(seq - 1)[0]

    def _events(self, stride: int) -> Iterator[tuple[int, list[JsonObject]]]:
        entries: Sequence[Entry] = self._journal.entries(stride * STRIDE)[:STRIDE]
        projection = self._copy(self._places[stride])
        for entry in entries:
            yield entry.seq, projection.events(entry)

    def _copy(self, projection: Projection) -> Projection:
        """Return one that stands where this one stands, and makes events."""
        return projection.copy_to(EventWriter(self._journal.session_id, self._journal.epoch))
