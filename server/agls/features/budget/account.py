"""What a run spends, entered into the ledger of its days, and what everybody spent today."""

import asyncio
import logging
from collections.abc import Callable, Iterable

from agls.engine.facts import Notice
from agls.engine.feature import RunView
from agls.engine.ledger import Days, Ledger, Row, day_of, used_in
from agls.engine.limits import Totals
from agls.engine.state import State, seconds_since

PATIENCE = 10.0  # seconds for the disk; no run waits longer
_log = logging.getLogger(__name__)


class Account:
    """One run's part of the ledger. `problem` says why it is not known what others spent ("" when it is)."""

    def __init__(self, ledger: Ledger, session_id: str, who: str, now: Callable[[], float]) -> None:
        self._ledger = ledger
        self._session_id = session_id
        self._who = who
        self._now = now
        self._days = Days(day_of(now()))
        self._others: tuple[Row, ...] = ()
        self._warned = False
        self.problem = ""

    def used_by_session(self, state: State) -> Totals:
        """Return the spending of the session."""
        return state.total.later(seconds_since(state, self._now()))

    def used(self, state: State) -> Totals:
        """Return the spending of all runs today."""
        return self._sum(self._others, state)

    def used_by_caller(self, state: State) -> Totals:
        """Return the spending of this run's caller today."""
        return self._sum((row for row in self._others if row.caller == self._who), state)

    def is_new_day(self, state: State) -> bool:
        """Let a turn begin; whether it is the first of another day than the one before."""
        before = self._days.day
        self._days.begin(day_of(self._now()), self._run(state))
        return self._days.day != before

    async def enter(self, view: RunView, *, ended: bool = False) -> None:
        """Write down what the run spent so far. Others count it from then on."""
        state = view.state
        rows = [
            Row(day, self._session_id, state.run_id, self._who, used, ended)
            for day, used in self._days.of(self._run(state)).items()
        ]
        try:
            await self._ledger.enter(*rows)
        except OSError as error:  # a time-out is one
            _log.warning("what the run spent cannot be recorded: %s", error)
            if not self._warned:
                self._warned = True
                why = error.strerror or "It takes too long"
                text = f"{why}. Other runs and `agls usage` may not count it."
                view.show(Notice("warning", "What this run spends cannot be recorded", text))

    async def look(self, run_id: str) -> None:
        """See what the others than this run spent today."""
        try:
            async with asyncio.timeout(PATIENCE):
                rows = await self._ledger.rows(self._days.day)
        except OSError as error:
            self.problem = f"Today's spending cannot be read: {error.strerror or 'it takes too long'}."
            return
        self._others, self.problem = tuple(row for row in rows if row.run_id != run_id), ""

    def _sum(self, rows: Iterable[Row], state: State) -> Totals:
        return self._days.of(self._run(state))[self._days.day].plus(used_in(rows))

    def _run(self, state: State) -> Totals:
        """Return what the run used up to now: facts only have the time of the last one that counted it."""
        return state.run.later(seconds_since(state, self._now()))
