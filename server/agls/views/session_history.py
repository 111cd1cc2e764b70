"""What the facts of a session came to, from its end backward, and the events of any part of it."""

import threading
from collections.abc import Iterator
from itertools import pairwise

from agls.engine.facts import Entry, Replied, Rewound, RunEnded, RunStarted
from agls.engine.log import Log
from agls.engine.note_items import NoteTable
from agls.engine.ports import Part
from agls.engine.rests import Rests
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.views import values
from agls.views.history_part import HistoryItem, HistoryPart
from agls.views.packed_parts import VERSION, packed, unpacked
from agls.views.rewinds import Rewinds
from agls.views.run_totals import RunTotals, run_so_far
from agls.views.transcript import Transcript


class SessionHistory:
    """The items of a session, and the events of any part of it. Used by threads and the event loop.

    It is made of parts that begin where the session rested. The log knows how the session stood there, so
    each part is folded by itself and once, and none that nobody asks for. `catch_up` takes in what was
    recorded since.
    """

    def __init__(self, notes: NoteTable, log: Log) -> None:
        self.seq = 0
        self.epoch = log.journal.epoch
        self._notes = notes
        self._log = log
        self._parts: dict[int, HistoryPart] = {}
        self._rewinds: list[tuple[int, Rewound]] = []  # of the conversation, with their numbers
        self._counted = 0  # the last reply of which the provider counted the tokens
        self._ends: dict[str, HistoryItem | None] = {}  # of items that went on when they were taken out
        self._reading = threading.Lock()
        self._kept = log.journal.parts(VERSION)

    def catch_up(self) -> None:
        """Take in what was recorded since. Nothing is folded for it."""
        with self._reading:
            journal, known = self._log.journal, self.seq
            self.seq += len(journal.entries(known))  # more may follow at any moment
            replies = (entry for entry in reversed(journal.of(Replied, known)) if _is_counted(entry))
            self._counted = next((entry.seq for entry in replies if entry.seq <= self.seq), self._counted)
            for entry in journal.of(Rewound, known):
                if entry.seq <= self.seq and (rewind := _conversation_rewound(entry)):
                    self._rewinds.append((entry.seq, rewind))

    # --- what is known at the end ---

    @property
    def usage(self) -> JsonObject:
        """The data of the last `contextUsage`, empty before the first."""
        return self._around(self._counted).usage

    @property
    def queue(self) -> list[JsonObject]:
        """The runs that wait, as they were sent last."""
        return self._around(self.seq).queue

    @property
    def rewound(self) -> JsonObject:
        """The data of the last `historyRewound`, empty once it was taken back or a run began behind it."""
        known = [entry for entry in self._log.journal.of(Rewound) if entry.seq <= self.seq]
        last = known[-1] if known else None
        if last is None or not isinstance(last.fact, Rewound) or last.fact.undoes:
            return {}
        begun = any(entry.seq <= self.seq for entry in self._log.journal.of(RunStarted, last.seq))
        return {} if begun else {**values.rewound(last.fact)}

    def end_of(self, run_id: str) -> JsonObject:
        """Return the data of `runEnded` of a run that is over. **Raises** `KeyError` when none is."""
        self.catch_up()
        for entry in reversed(self._log.journal.of(RunEnded)):
            if isinstance(entry.fact, RunEnded) and entry.fact.run_id == run_id:
                return self._around(entry.seq).runs[run_id]
        raise KeyError(run_id)

    # --- items ---

    def shown(self, until: int | None = None) -> Iterator[HistoryItem]:
        """Return the items that the rewinds left (up to fact `until`), the last first."""
        until = self.seq if until is None else until
        rewinds = Rewinds((seq, rewind) for seq, rewind in self._rewinds if seq <= until)
        seen: set[str] = set()
        for held in self.items(until):
            if rewinds.leave(held.item_id, held.place) and held.item_id not in seen:
                seen.add(held.item_id)
                yield held
            elif rewinds.left_nothing:
                return

    def items(self, until: int) -> Iterator[HistoryItem]:
        """Return all items up to this fact, the last first, also those that rewinds took out.

        One that ended after it was taken out stands at its end as well: so do clients show it.
        """
        later: dict[str, HistoryItem] = {}  # ends of items that began in an earlier part
        ends: dict[str, JsonObject] = {}  # of runs, which may have begun in an earlier part
        for index in reversed(range(self._log.rests.before(until) + 1)):
            part = self._part(index)
            known = part.items(self._end(index, self.seq))
            ends |= part.transcript.runs
            later |= {held.item_id: held for held in known if not held.began}
            returned = [self._returned(held) for held in known if held.ended <= until]
            placed = [held for held in (*known, *returned) if held and held.began and held.place <= until]
            placed.sort(key=_place)
            for held in reversed(placed):
                end = later.get(held.item_id, held)
                run_id, run_end = held.run_id, ends.get(held.run_id, held.run_end)
                yield HistoryItem(end.item, held.began, end.ended, held.place, run_id, run_end)

    def _returned(self, held: HistoryItem) -> HistoryItem | None:
        """Return an item as it stands at its end, if a rewind had taken it out by then: `None` if not."""
        item_id, before = held.item_id, held.ended - 1
        if not any(held.began < seq <= before for seq, _ in self._rewinds):
            return None
        if item_id not in self._ends:
            begun = next(other for other in self.items(before) if other.item_id == item_id)
            is_out = all(other.item_id != item_id for other in self.shown(before))
            end = begun._replace(item=held.item, ended=held.ended, place=held.ended)
            self._ends[item_id] = end if is_out else None
        return self._ends[item_id]

    # --- events ---

    def facts(self, after: int, before: int, *, backward: bool = False) -> Iterator[list[JsonObject]]:
        """Return the events of each fact behind number `after` and in front of number `before`."""
        places = self._log.rests
        indices = range(max(0, places.before(after + 1)), places.before(before - 1) + 1)
        for index in reversed(indices) if backward else indices:
            facts = self._part(index).facts(after, self._end(index, before - 1) + 1)
            yield from reversed([*facts]) if backward else facts

    def entry(self, seq: int) -> Entry:
        """Return the fact of this number."""
        return self._log.journal.entries(seq - 1)[0]

    def keep(self, rests: Rests) -> None:
        """Keep the parts between these places that somebody read, for who opens the session next.

        The places are those of the log, perhaps with another end.
        """
        parts: dict[Part, bytes] = {}
        for index, place in enumerate(pairwise(rests.seqs)):
            if part := self._kept.get(place) or self._packed(index, place):
                parts[place] = part
        if parts.keys() != self._kept.keys():
            self._log.journal.keep_parts(VERSION, parts)

    def _packed(self, index: int, place: Part) -> bytes | None:
        """Return a part as it is kept; `None` where nobody read any of it, or it cannot be kept."""
        if (part := self._parts.get(index)) is None:
            return None
        if self._kept_part(index):  # it was not folded, and has another end now
            part = self._new_part(index)
        return packed(part.read(place[1]))

    def _around(self, seq: int) -> Transcript:
        """Return what the part around this fact came to; nothing for number 0."""
        index = self._log.rests.before(seq)
        return Transcript() if index < 0 else self._part(index).read(self._end(index, max(seq, self.seq)))

    def _part(self, index: int) -> HistoryPart:
        if (part := self._parts.get(index)) is None:
            kept = self._kept_part(index)
            part = self._parts.setdefault(index, self._new_part(index, unpacked(kept) if kept else None))
        return part

    def _new_part(self, index: int, known: Transcript | None = None) -> HistoryPart:
        start, journal = self._log.rests[index], self._log.journal
        totals = run_so_far(self._notes, journal, start) if self._ends_run(index) else RunTotals()
        return HistoryPart(self._notes, journal, start, totals, known)

    def _kept_part(self, index: int) -> bytes | None:
        start, *end = self._log.rests.seqs[index : index + 2]
        return self._kept.get((start, end[0])) if end else None

    def _ends_run(self, index: int) -> bool:
        """Return whether the run that is on where a part begins may end in that part."""
        rests = self._log.rests
        after = rests[index + 1] if index + 1 < len(rests) else State()
        return rests[index].running and (after.run_id != rests[index].run_id or not after.running)

    def _end(self, index: int, most: int) -> int:
        rests = self._log.rests
        return min(most, rests[index + 1].seq) if index + 1 < len(rests) else most


def _is_counted(entry: Entry) -> bool:
    """Return whether the provider counted the tokens of a reply."""
    return isinstance(entry.fact, Replied) and entry.fact.usage.input_tokens is not None


def _conversation_rewound(entry: Entry) -> Rewound | None:
    """Return the rewind, if it is one of the conversation."""
    fact = entry.fact
    return fact if isinstance(fact, Rewound) and (fact.keep is not None or fact.undoes) else None


def _place(held: HistoryItem) -> int:
    return held.place
