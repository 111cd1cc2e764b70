"""The facts of a session from one place at which it rested to the next: their items and their events."""

import threading
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agls.engine.facts import Entry
from agls.engine.note_items import NoteTable
from agls.engine.ports import Journal
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.views.events import EventWriter, TranscriptWriter
from agls.views.project import Projection
from agls.views.run_totals import RunTotals
from agls.views.transcript import Transcript


class HistoryItem(NamedTuple):
    """An item as it stands at last.

    It `began` and `ended` with these facts; `ended` is 0 while it is open, and where its begin says all.
    Among other items it stands at fact `place`. `run_id` is the run that it is of, "" for none, and `run_end`
    the data of `runEnded` of that run, `None` while that goes on.
    """

    item: JsonObject
    began: int
    ended: int
    place: int
    run_id: str
    run_end: JsonObject | None

    @property
    def item_id(self) -> str:
        """Which item it is."""
        return self.item["itemId"]


class HistoryPart:
    """One part of a session, which begins behind `start`. Used by threads and the event loop.

    `totals` are what the run that is on there used before. The facts are folded once, as far as somebody
    asks for them, into `transcript`, which knows nothing of other parts; events are made again each time.
    Of a part that is over the transcript may be `known` already.
    """

    def __init__(
        self,
        notes: NoteTable,
        journal: Journal,
        start: State,
        totals: RunTotals,
        known: Transcript | None = None,
    ) -> None:
        self.transcript = known or Transcript(seq=start.seq)
        self._start = start.seq
        self._journal = journal
        out = self._writer()
        self._beginning = Projection(notes, journal.session_id, journal.epoch, start, out, totals)
        self._projection: Projection | None = None  # of a part that is known nothing is folded
        self._reading = threading.RLock()

    def read(self, end: int) -> Transcript:
        """Fold the facts up to this one, as far as that was not done. **Returns** what they came to."""
        with self._reading:
            for entry in self._entries(self.transcript.seq, end):
                if self._projection is None:
                    self._projection = self._beginning.copy_to(TranscriptWriter(self.transcript))
                self._projection.events(entry)
        return self.transcript

    def items(self, end: int) -> list[HistoryItem]:
        """Return what began up to this fact, and what only ended here, with `began` 0."""
        with self._reading:
            known = self.read(end)
            return [self._item(known, item_id) for item_id in known.items]

    def facts(self, after: int, before: int) -> Iterator[list[JsonObject]]:
        """Return the events of each fact behind number `after` and in front of number `before`."""
        projection = self._beginning.copy_to(self._writer())
        for entry in self._entries(self._start, before - 1):
            events = projection.events(entry)
            if entry.seq > after:
                yield events

    def _item(self, known: Transcript, item_id: str) -> HistoryItem:
        run_id = known.run_of.get(item_id, "")
        began = known.began.get(item_id, 0)
        ended = known.ended.get(item_id, 0)
        return HistoryItem(known.items[item_id], began, ended, began, run_id, None)

    def _entries(self, after: int, end: int) -> Sequence[Entry]:
        return self._journal.entries(after)[: max(0, end - after)]

    def _writer(self) -> EventWriter:
        return EventWriter(self._journal.session_id, self._journal.epoch)
