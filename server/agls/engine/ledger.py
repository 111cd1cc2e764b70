"""The spending of runs by day: the rows of a ledger, and how they follow from the facts of a session."""

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Protocol

from agls.engine.facts import Entry, RunEnded, RunStarted, TurnStarted
from agls.engine.limits import NOTHING, Totals
from agls.engine.state import State, fold, seconds_since
from agls.frozen import frozen

SECONDS = 86_400


def day_of(at: float) -> int:
    """Return the day of a time (Unix seconds), in days since 1970; days begin at midnight UTC."""
    return int(at // SECONDS)


@frozen
class Row:
    """The spending of a run on a day so far, all of it: a later row of the same run and day replaces it.

    One of several `runs` that are over adds them up, and has the name of the last one.
    """

    day: int
    session_id: str
    run_id: str
    caller: str
    used: Totals = NOTHING
    ended: bool = False
    runs: int = 1


def used_in(rows: Iterable[Row]) -> Totals:
    """**Returns** what is used in all these rows together."""
    return reduce(Totals.plus, (row.used for row in rows), NOTHING)


class Ledger(Protocol):
    """The spending of all sessions that share a state folder, and of all processes.

    A run is entered before it spends. `rows` are the sums of all runs of a day; the spending of a run whose
    process died is taken from its journal. Both raise `OSError`.
    """

    async def enter(self, *rows: Row) -> None: ...
    async def rows(self, day: int) -> Sequence[Row]: ...


class NoLedger:
    """Keeps nothing: for runs whose spending others count."""

    async def enter(self, *rows: Row) -> None:
        """Keep nothing."""

    async def rows(self, day: int) -> Sequence[Row]:
        """Return no rows."""
        return ()


class Days:
    """Splits the spending of one run by days: a turn, with all it causes, counts on its first day."""

    def __init__(self, day: int) -> None:
        self.day = day
        self._past: dict[int, Totals] = {}
        self._before = NOTHING

    def begin(self, day: int, totals: Totals) -> None:
        """Begin a turn on this day, when the run has used `totals`."""
        if day != self.day:
            self._past[self.day] = self.of(totals)[self.day]
            self.day, self._before = day, totals

    def of(self, totals: Totals) -> dict[int, Totals]:
        """Return the spending on each day, when the run has used `totals`."""
        return {**self._past, self.day: totals.minus(self._before)}


def spent(entries: Iterable[Entry], run_id: str) -> dict[int, Totals]:
    """Return the spending of a run on each day, by its session's journal; nothing when it is not in there."""
    state, days = State(), None
    for entry in entries:
        match entry.fact:
            case RunStarted(started) if started == run_id:
                days = Days(day_of(entry.at))
            case TurnStarted() if days:
                days.begin(day_of(entry.at), state.run.later(seconds_since(state, entry.at)))
            case _:
                pass
        state = fold(state, entry)
        if days and isinstance(entry.fact, RunEnded) and entry.fact.run_id == run_id:
            break
    return days.of(state.run) if days else {}
