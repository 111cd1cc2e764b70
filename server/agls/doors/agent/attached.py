"""A session that a client uses: its events go to the client, and its questions come from it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from typing import Literal, Protocol

from agls.config import ConfigError
from agls.doors.action_list import action_list
from agls.doors.agent.asking import OpenQuestions, Way
from agls.doors.agent.cancel import CancelTarget
from agls.doors.agent.limits import MAX_QUEUED
from agls.doors.agent.peer import Peer
from agls.doors.agent.publish import Publisher
from agls.doors.messages import JsonObject
from agls.engine.facts import Answered, Asked, Entry, Notice, RunEnded, Transient
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Question
from agls.order import NOTES
from agls.views.session_history import SessionHistory

Role = Literal["own", "followed", "child"]
REMEMBERED = MAX_QUEUED + 16  # ends of runs, for those who wait for them


class Presenter(Protocol):
    """The part of a door that shows a session beside its events, in the terms of its own clients."""

    def give_token(self, run_id: str, token: object) -> None:
        """Report this run's progress under the client's own token."""
        ...

    def run_of(self, token: object) -> str:
        """Return the run that reports under this token, "" for none."""
        ...

    def report(self, events: Sequence[JsonObject]) -> None:
        """Report these events, each at its place behind the answers that precede it."""
        ...

    def record(self, events: Sequence[JsonObject], *, attached: bool) -> str:
        """Take in these events, also while the client is not `attached`. **Returns** a problem, else ""."""
        ...

    def way(self, question: Question) -> Way | None:
        """Return how this question is put to a client that does not know the agent's own requests."""
        ...

    def announce(self, asked: Asked) -> bool:
        """Announce a question that a request of the client answers. **Returns** whether that is possible."""
        ...


class Attached:
    """A session whose events go to the client and, unless it is `followed`, whose questions come from it.

    What it offers depends on what `configured` returns, and is looked at again when that changed. `gone` is
    called when more waits for the client than may.
    """

    def __init__(
        self,
        session: Session,
        peer: Peer,
        presenter: Presenter,
        gone: Callable[[], None],
        configured: Callable[[], object],
        role: Role = "own",
    ) -> None:
        self._configured = configured
        self._offered_for: object = None
        self.session = session
        self.presenter = presenter
        self._peer = peer
        self._gone = gone
        self.read_only = role == "followed"
        self.publisher = Publisher(session, peer, presenter.report, self._keep)
        self.asking = OpenQuestions(session, peer, presenter)
        self.cancel_target = CancelTarget(session.outline, peer)
        self._ends: dict[str, JsonObject] = {}  # the data of `runEnded`, of the last runs
        self.listens = True  # whether the client gets the events
        self.offers: list[JsonObject] | None = None  # the commands that the client knows
        self.end = self.publisher.flushed_after(session.log.subscribe(self._observe))

    def leave(self) -> None:
        """Send nothing more, but follow what happens; open questions are taken back and wait."""
        self.listens = False
        self.publisher.leave()
        self.asking.leave()

    def join(self) -> None:
        """Send events again, from here on."""
        self.listens = True
        self.offers = None
        self.publisher.join()

    def offer(self) -> None:
        """Send the list of commands, when the client knows others or none."""
        if self.listens and not self.read_only and self._peer.client.hears("commands"):
            with suppress(ConfigError):  # then nothing can be offered, and who wants to work hears why
                configured = self._configured()
                if self.offers is not None and configured == self._offered_for:
                    return
                offers = action_list(self.session)
                self._offered_for = configured
                if offers != self.offers:
                    self.offers = offers
                    self.publisher.show("commands", {"commands": offers})

    async def end_of(self, run_id: str) -> JsonObject:
        """Wait for the end of a run, whenever it was. **Returns** the data of `runEnded`.

        **Raises** `JournalError`.
        """
        with suppress(KeyError):  # it ended before this process, or long ago
            await self.session.finished(run_id)
        await self.publisher.drained()
        if known := self._ends.get(run_id):
            return known
        history = SessionHistory(NOTES, self.session.log)
        return await asyncio.to_thread(history.end_of, run_id)

    def _observe(self, event: Entry | Transient, state: State) -> None:
        self.cancel_target.take(event, state)
        fact = event.fact if isinstance(event, Entry) else None
        if isinstance(fact, Answered):  # before `requestResolved` goes out
            self.publisher.then(partial(self.asking.withdraw, fact))
        self.publisher.publish(event, state)
        if isinstance(fact, RunEnded):
            asyncio.get_running_loop().call_soon(self.offer)  # the next run works with what is set up now
        if isinstance(fact, Asked) and self.listens and not self.read_only:  # behind `requestOpened`
            self.publisher.then(partial(self.asking.put, fact))
        if self._peer.overfull:
            self._gone()

    def _keep(self, events: Sequence[JsonObject]) -> None:
        self._remember(events)
        if problem := self.presenter.record(events, attached=self.listens):
            self.session.log.show(Notice("warning", "The transcript is not kept any more", problem))

    def _remember(self, events: Sequence[JsonObject]) -> None:
        ended = {event["runId"]: event["data"] for event in events if event["type"] == "runEnded"}
        if not ended:
            return
        self._ends |= ended
        for run_id in list(self._ends)[:-REMEMBERED]:
            del self._ends[run_id]
