"""A session's facts and glimpses on their way to the client: in order, and without waiting for it."""

import asyncio
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from functools import partial

from agls.doors.lsp.client import Client
from agls.doors.lsp.flow import Flow
from agls.doors.lsp.peer import Peer
from agls.doors.lsp.plain.progress import ProgressReporter
from agls.doors.messages import JsonObject
from agls.engine.facts import Entry, Glimpse
from agls.engine.session import Session
from agls.views.project import Translator

DETACHED = {
    "severity": "warning",
    "title": "Detached",
    "text": "Nobody read here, so the session goes on without this connection. Go on with agent/resume.",
    "kind": "detached",
}


class Publisher:
    """Sends the events of one session. While it is held, they wait for an answer that goes first."""

    def __init__(self, session: Session, peer: Peer, client: Client, progress: ProgressReporter) -> None:
        self._session = session
        self._client = client
        self._progress = progress
        self._translator = Translator(session.session_id, session.log.journal.epoch, session.state)
        self._peer, self._silent = peer, False
        self._flow = Flow(peer, client, self._translator.caught_up)
        self._held: list[Callable[[], None]] = []
        self._holds = 0

    @property
    def status(self) -> str:
        """idle, running or requiresAction."""
        return self._translator.status

    def open_items(self) -> list[JsonObject]:
        """The unfinished items as they stand."""
        return self._translator.open_items()

    def open_requests(self) -> list[JsonObject]:
        """The questions nobody has answered yet."""
        return self._translator.open_requests()

    def publish(self, event: Entry | Glimpse) -> list[JsonObject]:
        """Tell the client what this means on the wire; gives it."""
        if not self._holds:
            self._flow.catch_up(event.at)
        events = self._translator.events(event)
        self.then(partial(self._tell, events))
        return events

    def acknowledge(self, seq: int) -> None:
        """The client has taken in everything up to this fact."""
        self.then(partial(self._flow.acknowledge, seq))

    def beat(self) -> None:
        """Say that the session lives, and how it stands."""
        self.show("heartbeat", {"seq": self._session.state.seq, "state": self.status})

    def leave(self) -> None:
        """From here on nothing goes to the client but the ends of what it waits for."""
        self.then(partial(self._turn, silent=True))

    def join(self) -> None:
        """From here on events go to the client again; what was left out before counts no more."""
        self._flow = Flow(self._peer, self._client, self._translator.caught_up)
        self.then(partial(self._turn, silent=False))

    def say_detached(self) -> None:
        """Say that nothing more comes."""
        self.show("notice", DETACHED)

    def show(self, type: str, data: JsonObject) -> None:
        """Tell what comes from no fact and no glimpse."""
        self.then(partial(self._tell, self._translator.told(type, data, time.time())))

    def make_up(self, item_ids: Iterable[str]) -> None:
        """Tell these open items as they stand: an answer had no room for all of their text."""
        behind = dict.fromkeys(item_ids, self._session.state.seq)
        self.then(partial(self._tell, self._translator.caught_up(behind, time.time())))

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
            self._holds -= 1
            if not self._holds:
                held, self._held = self._held, []
                for act in held:
                    act()

    def _turn(self, *, silent: bool) -> None:
        self._silent = silent

    def _tell(self, events: list[JsonObject]) -> None:
        if self._silent:
            self._progress.show([event for event in events if event["type"] == "runEnded"])
            return
        self._progress.show(events)
        if self._client.events:
            self._flow.tell(events)


def _settle(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
