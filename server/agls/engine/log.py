"""The log: the only place where facts are made. Append, fold, publish, in one synchronous step."""

import logging
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

from agls.engine.facts import Asked, Entry, Fact, Injected, Noted, Notice, Rewound, RunDiff, Transient
from agls.engine.ports import Clock, Journal, JournalError, Spawn
from agls.engine.rests import Rests
from agls.engine.state import State, fold, fold_all

Event = Entry | Transient
Clean = Callable[[Any], Any]
Observer = Callable[[Event, State], None]
GATHERING = 0.002  # seconds until the flush for a prompt: the first facts of its run go with it
UNHURRIED = 0.05  # the same, when nobody waits for it: an answer that ends sooner is flushed with its prompt
CLEANED = (Asked, Injected, Noted, Notice, Rewound, RunDiff)  # what may have lines of files (`cleaning.py`)
_log = logging.getLogger(__name__)


def as_it_is(told: Any) -> Any:
    """Clean nothing: where nobody holds keys."""
    return told


class Log:
    """A session's journal, its fold, and its listeners: one order for all three."""

    def __init__(
        self,
        journal: Journal,
        clock: Clock,
        state: State,
        rests: Rests | None = None,
        *,
        is_whole: bool = True,
        clean: Clean = as_it_is,
    ) -> None:
        """Go on behind `state`, which may be the outline only; `rests` are the places that are known.

        `clean` takes the user's keys out of what is recorded and shown, and out of the outcomes of actions.
        """
        self.clean = clean
        self.journal = journal
        self.rests = rests or Rests()
        self.is_whole = is_whole  # whether more than the outline is known
        self._state = state
        self._kept = self.rests.seqs
        self.keepers: list[Callable[[Rests], None]] = []
        self._folding = threading.Lock()
        self._clock = clock
        self._observers: tuple[Observer, ...] = ()
        self._trouble = ""

    @property
    def state(self) -> State:
        """The session as it stands. Where only its outline is known, this folds all of it first."""
        if not self.is_whole:
            self.fold_whole()
        return self._state

    @property
    def outline(self) -> State:
        """How the session stands, at once; what grows with a session may be missing."""
        return self._state

    def fold_whole(self) -> None:
        """Fold the session from its beginning, if only its outline is known. Any thread may do it."""
        with self._folding:
            if not self.is_whole:
                self._state = fold_all(self.journal.entries(), self.rests.take)
                self.is_whole = True

    def keep_rests(self) -> None:
        """Keep the places at which the session rested for who opens it next, if there are new ones.

        Then the `keepers` keep what they made of the facts between these places, each once.
        """
        rests = self.rests.with_end(self._state)
        if rests.seqs != self._kept:
            self._kept = rests.seqs
            self.journal.keep_rests(rests)
        while self.keepers:
            self.keepers.pop()(rests)

    def record(self, fact: Fact) -> None:
        """Record a fact: write it down, fold it, notify the observers."""
        if isinstance(fact, CLEANED):
            fact = self.clean(fact)
        entry = Entry(self.state.seq + 1, round(self._clock.now(), 3), fact)
        named = (self.journal.session_id, entry.seq, type(fact).__name__)
        _log.debug("%s: fact %d, %s", *named, extra={"details": fact})
        self.journal.append(entry)
        self._fold(entry)
        self._publish(entry)
        if self._observers and self.journal.trouble != self._trouble:
            self._trouble = self.journal.trouble
            text = self._trouble or "The session is saved again; nothing was lost."
            self.show(Notice("error" if self._trouble else "info", "Saving the session", text))

    def take(self, entry: Entry) -> None:
        """Take in an entry that another process wrote down: fold it, notify the observers."""
        self._fold(entry)
        self._publish(entry)

    def show(self, event: Transient) -> None:
        """Notify the observers of something that is not kept."""
        self._publish(self.clean(event) if isinstance(event, CLEANED) else event)

    async def sync(self, later: float = 0.0) -> None:
        """Wait until everything recorded would survive a power cut (`Journal.sync`)."""
        await self.journal.sync(later)

    async def sync_prompt(self, behind: Spawn | None = None) -> None:
        """Make a prompt durable with what its run records first; with `behind`, return and do it later."""
        if behind is None:
            await self.sync(GATHERING)
        else:
            behind(self._sync_behind())

    async def _sync_behind(self) -> None:
        with suppress(JournalError):  # the run fails with it
            await self.sync(UNHURRIED)

    def subscribe(self, observer: Observer) -> Callable[[], None]:
        """Notify `observer` of everything from now on. Its exceptions are contained.

        **Returns** the function that ends the subscription.
        """
        self._observers = (*self._observers, observer)

        def leave() -> None:
            self._observers = tuple(o for o in self._observers if o is not observer)

        return leave

    def _fold(self, entry: Entry) -> None:
        self._state = fold(self.state, entry)
        self.rests.take(entry, lambda: self._state)

    def _publish(self, event: Event) -> None:
        for observer in self._observers:
            try:
                observer(event, self.state)
            except Exception:  # noqa: BLE001 - an observer can never change a fact
                _log.exception("an observer failed")
