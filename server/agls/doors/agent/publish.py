"""A session's events on their way to the client: in order, and without waiting for it."""

import asyncio
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial

from agls.doors.agent.flow.queue import Flow
from agls.doors.agent.peer import Peer
from agls.doors.messages import JsonObject
from agls.engine.facts import Entry, Replied, RunEnded, Transient, TurnStarted
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


Report = Callable[[Sequence[JsonObject]], None]


def _keep_nothing(events: Sequence[JsonObject]) -> None:
    return None


class Publisher:
    """Sends the events of one session. While it is held, they wait for an answer that goes first.

    `report` gets all of them too, each at its place; of a client that left only the ends of runs. `keep`
    gets all of them as soon as they are made, also when the client left. Of what waits they are made when its
    time comes, or when somebody asks how the session stands: nothing of it delays a request to the model.
    """

    def __init__(self, session: Session, peer: Peer, report: Report, keep: Report = _keep_nothing) -> None:
        self._session = session
        self._report, self._keep = report, keep
        journal, state = session.log.journal, session.outline
        totals = run_so_far(NOTES, journal, state)
        self._projection = Projection(NOTES, session.session_id, journal.epoch, state, totals=totals)
        self._peer, self._silent = peer, False
        self._flow = Flow(peer, self._projection.caught_up)
        self._waiting: deque[tuple[Entry | Transient, State, float]] = deque()  # what has no events yet
        self._made: deque[list[JsonObject]] = deque()  # the events of what came before that
        self._held: list[Callable[[], None]] = []
        self._holds = 0
        self._lingering: asyncio.TimerHandle | None = None

    @property
    def status(self) -> str:
        """idle, running or requiresAction."""
        return self._current.status

    def open_items(self) -> list[JsonObject]:
        """Return the unfinished items as they stand."""
        return self._current.open_items()

    def open_requests(self) -> list[JsonObject]:
        """Return the questions nobody has answered yet."""
        return self._current.open_requests()

    def publish(self, event: Entry | Transient, after: State) -> None:
        """Send what this means on the wire."""
        is_fact = isinstance(event, Entry)
        at = event.at if is_fact else time.time()
        if not self._holds:
            self._flow.catch_up(at)
        fact = event.fact if is_fact else None
        if isinstance(fact, Replied) and fact.tool_calls:
            self.linger(GATHERING)  # what is called and done within that is written once, with the next turn
        self._waiting.append((event, after, at))
        self.then(self._send_next)
        if self._waiting and isinstance(fact, TurnStarted):  # while the model is at work
            asyncio.get_running_loop().call_soon(self.make_all)
        if not is_fact or isinstance(fact, RunEnded):
            self.flush()

    def make_all(self) -> None:
        """Make the events of all that was published. They are sent when their time comes."""
        while self._waiting:
            self._make_next()

    def acknowledge(self, seq: int) -> None:
        """Note that the client has everything up to this fact."""
        self.then(partial(self._flow.acknowledge, seq))

    def beat(self) -> None:
        """Send a sign of life of the session, and how it stands."""
        self.show("heartbeat", {"seq": self._session.outline.seq, "state": self.status})

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
        self.then(partial(self._pass_on, self._current.event(type, data, time.time())))

    def make_up(self, item_ids: Iterable[str]) -> None:
        """Send these open items as they stand: an answer had no room for all of their text."""
        behind = dict.fromkeys(item_ids, self._session.outline.seq)
        self.then(partial(self._pass_on, self._current.caught_up(behind, time.time())))

    def then(self, act: Callable[[], None]) -> None:
        """Do this behind everything that was published: now, or when nothing is held back any more."""
        if self._holds:
            self._held.append(act)
        else:
            act()

    async def drained(self) -> None:
        """Wait until nothing is held back: an answer about events comes behind them."""
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

    @contextmanager
    def passing(self) -> Generator[None]:
        """Let everything go on its way during the block, although its caller holds it back otherwise."""
        held = self._holds > 0
        if held:
            self._release()
        try:
            yield
        finally:
            self._holds += held

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

    @property
    def _current(self) -> Projection:
        """The projection, behind all that was published."""
        self.make_all()
        return self._projection

    def _make_next(self) -> None:
        event, after, at = self._waiting.popleft()
        if isinstance(event, Entry):
            events = self._projection.events(event, after)
        else:
            events = self._projection.transient(event, at)
        self._made.append(events)
        self._keep(events)

    def _send_next(self) -> None:
        while not self._made:
            self._make_next()
        self._pass_on(self._made.popleft())

    def _turn(self, *, silent: bool) -> None:
        self._silent = silent

    def _pass_on(self, events: list[JsonObject]) -> None:
        if self._silent:
            self._report([event for event in events if event["type"] == "runEnded"])
            return
        self._report(events)
        if self._peer.client.events:
            self._flow.send(events)


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
