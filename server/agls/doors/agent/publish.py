"""A session's events on their way to the client: in order, and without waiting for it."""

import asyncio
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial

from agls.doors.agent.flow.queue import Flow
from agls.doors.agent.peer import Peer
from agls.doors.messages import JsonObject
from agls.engine.facts import Entry, Replied, RunEnded, Transient
from agls.engine.log import GATHERING
from agls.engine.session import Session
from agls.engine.state import State
from agls.order import NOTES
from agls.views.project import Projection
from agls.views.run_totals import run_so_far
from agls_protocol.events import EventData, NoticeData

DETACHED: NoticeData = {
    "severity": "warning",
    "title": "Detached",
    "text": "Nobody read here, so the session goes on without this connection. Go on with agent/resume.",
    "kind": "detached",
}


class Publisher:
    """Sends the events of one session. While it is held, they wait for an answer that goes first.

    `report` gets all of them too, each at its place; of a client that left only the ends of runs.
    """

    def __init__(self, session: Session, peer: Peer, report: Callable[[Sequence[JsonObject]], None]) -> None:
        self._session = session
        self._report = report
        journal, state = session.log.journal, session.state
        totals = run_so_far(NOTES, journal, state)
        self._projection = Projection(NOTES, session.session_id, journal.epoch, state, totals=totals)
        self._peer, self._silent = peer, False
        self._flow = Flow(peer, self._projection.caught_up)
        self._held: list[Callable[[], None]] = []
        self._holds = 0
        self._lingering: asyncio.TimerHandle | None = None

    @property
    def status(self) -> str:
        """idle, running or requiresAction."""
        return self._projection.status

    def open_items(self) -> list[JsonObject]:
        """Return the unfinished items as they stand."""
        return self._projection.open_items()

    def open_requests(self) -> list[JsonObject]:
        """Return the questions nobody has answered yet."""
        return self._projection.open_requests()

    def publish(self, event: Entry | Transient, after: State) -> list[JsonObject]:
        """Send what this means on the wire. **Returns** it."""
        is_fact = isinstance(event, Entry)
        at = event.at if is_fact else time.time()
        if not self._holds:
            self._flow.catch_up(at)
        events = self._projection.events(event, after) if is_fact else self._projection.transient(event, at)
        if is_fact and isinstance(event.fact, Replied) and event.fact.tool_calls:
            self.linger(GATHERING)  # what is called and done within that is written once, with the next turn
        self.then(partial(self._tell, events))
        if not is_fact or isinstance(event.fact, RunEnded):
            self.flush()
        return events

    def acknowledge(self, seq: int) -> None:
        """Note that the client has everything up to this fact."""
        self.then(partial(self._flow.acknowledge, seq))

    def beat(self) -> None:
        """Send a sign of life of the session, and how it stands."""
        self.show("heartbeat", {"seq": self._session.state.seq, "state": self.status})

    def leave(self) -> None:
        """From here on nothing goes to the client but the ends of what it waits for."""
        self.then(partial(self._turn, silent=True))

    def join(self) -> None:
        """From here on events go to the client again; what was left out before counts no more."""
        self._flow = Flow(self._peer, self._projection.caught_up)
        self.then(partial(self._turn, silent=False))

    def say_detached(self) -> None:
        """Send the notice that nothing more comes."""
        self.show("notice", DETACHED)

    def show(self, type: str, data: EventData) -> None:
        """Send an event that comes neither from a fact nor from what is only shown."""
        self.then(partial(self._tell, self._projection.event(type, data, time.time())))

    def make_up(self, item_ids: Iterable[str]) -> None:
        """Send these open items as they stand: an answer had no room for all of their text."""
        behind = dict.fromkeys(item_ids, self._session.state.seq)
        self.then(partial(self._tell, self._projection.caught_up(behind, time.time())))

    def then(self, act: Callable[[], None]) -> None:
        """Do this behind everything that was published: now, or when nothing is held back any more."""
        if self._holds:
            self._held.append(act)
        else:
            act()

    async def told(self) -> None:
        """Wait until nothing is held back: an answer that tells of events comes behind them."""
        while self._holds:
            gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self.then(partial(_settle, gone))
            await gone

    @contextmanager
    def held(self) -> Generator[None]:
        """Keep everything back until the end of the block."""
        self._holds += 1
        try:
            yield
        finally:
            self._release()

    def linger(self, seconds: float) -> None:
        """Keep everything back for so long, or until the model answers or the run ends.

        What a run begins with is then written once, and not before the request to the model.
        """
        if self._lingering is None:
            self._holds += 1
            self._lingering = asyncio.get_running_loop().call_later(seconds, self.flush)

    def flushed_after(self, unsubscribe: Callable[[], None]) -> Callable[[], None]:
        """Return a function that ends a subscription and then writes what lingers."""

        def end() -> None:
            unsubscribe()
            self.flush()

        return end

    def flush(self) -> None:
        """Write what lingers."""
        if self._lingering is not None:
            self._lingering.cancel()
            self._lingering = None
            self._release()

    def _release(self) -> None:
        self._holds -= 1
        if not self._holds:
            held, self._held = self._held, []
            for act in held:
                act()

    def _turn(self, *, silent: bool) -> None:
        self._silent = silent

    def _tell(self, events: list[JsonObject]) -> None:
        if self._silent:
            self._report([event for event in events if event["type"] == "runEnded"])
            return
        self._report(events)
        if self._peer.client.events:
            self._flow.tell(events)


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
