"""What the facts of a session came to, kept up to date, so that a page of it costs what the page costs."""

import threading
from collections.abc import Iterator, Sequence
from copy import deepcopy

from agls.engine.facts import Entry
from agls.engine.ports import Journal
from agls.engine.vocabulary import JsonObject
from agls.views.events import Brief, Envelope
from agls.views.project import Translator
from agls.views.transcript import Transcript

STRIDE = 512  # facts between two places from which events are told again


class SessionHistory:
    """The transcript of a session, and the events of any part of it. Used by threads and the event loop.

    Only `transcript` grows; the events are made again when somebody asks for them, from the place before.
    """

    def __init__(self, journal: Journal) -> None:
        self.transcript, self.epoch = Transcript(), journal.epoch
        self._journal = journal
        self._translator = Translator(journal.session_id, journal.epoch, out=Brief(self.transcript))
        self._places = [self._copied(self._translator)]  # as it stood before each stride
        self._reading = threading.Lock()

    def catch_up(self) -> None:
        """Take in what was recorded since."""
        with self._reading:
            for entry in self._journal.entries(self.transcript.seq):
                self._translator.events(entry)
                if entry.seq % STRIDE == 0:
                    self._places.append(self._copied(self._translator))

    def facts(self, after: int, before: int, *, backward: bool = False) -> Iterator[list[JsonObject]]:
        """The events of each fact behind number `after` and in front of number `before`, fact by fact."""
        strides = range(after // STRIDE, (before - 2) // STRIDE + 1) if before - after > 1 else range(0)
        for stride in reversed(strides) if backward else strides:
            told = [events for seq, events in self._told(stride) if after < seq < before]
            yield from reversed(told) if backward else told

    def entry(self, seq: int) -> Entry:
        """The fact of this number."""
        return self._journal.entries(seq - 1)[0]

    def _told(self, stride: int) -> Iterator[tuple[int, list[JsonObject]]]:
        entries: Sequence[Entry] = self._journal.entries(stride * STRIDE)[:STRIDE]
        translator = self._copied(self._places[stride])
        for entry in entries:
            yield entry.seq, translator.events(entry)

    def _copied(self, translator: Translator) -> Translator:
        """One that stands where this one stands, and tells events."""
        out = Envelope(self._journal.session_id, self._journal.epoch).at(translator.out)
        return deepcopy(translator, {id(translator.out): out})
