"""A session's facts and glimpses on their way to the client: in order, and without waiting for it."""

import asyncio
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial

from aglet.doors.lsp.client import Client
from aglet.doors.lsp.messages import JsonObject
from aglet.doors.lsp.peer import Peer
from aglet.doors.lsp.plain import Mirror
from aglet.doors.to_wire import Translator
from aglet.engine.facts import Entry, Glimpse
from aglet.engine.session import Session

FULL = 1_000_000  # characters waiting; from here on deltas are left out
DRAINED = 50_000  # characters waiting; from here on they are told again
PAUSE = 0.1  # seconds between two looks whether the client reads again


class Publisher:
    """Sends the events of one session. While it is held, they wait for an answer that goes first."""

    def __init__(self, session: Session, peer: Peer, client: Client, mirror: Mirror) -> None:
        self._mirror = mirror
        self._translator = Translator(session.session_id, session.log.journal.epoch, session.state)
        self._peer, self._client = peer, client
        self._held: list[Callable[[], None]] = []
        self._holds = 0
        self._behind: dict[str, None] = {}  # the open items whose deltas were left out
        self._looking = False

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
        self._catch_up(event.at)
        events = self._translator.events(event)
        self.then(partial(self._tell, events))
        return events

    def then(self, act: Callable[[], None]) -> None:
        """Do this behind everything that was published: now, or when nothing is held back any more."""
        if self._holds:
            self._held.append(act)
        else:
            act()

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

    def _tell(self, events: list[JsonObject]) -> None:
        self._mirror.show(events)
        if self._client.events:
            self._send(self._spared(events) if self._behind or self._peer.backlog > FULL else events)

    def _send(self, events: list[JsonObject]) -> None:
        if wanted := [told for told in events if told["type"] not in self._client.excluded]:
            self._peer.send_events(wanted)

    def _spared(self, events: list[JsonObject]) -> list[JsonObject]:
        """Without deltas, while the client does not read."""
        for event in events:
            if event["type"] == "itemDelta":
                self._behind[event["itemId"]] = None
            elif event["type"] == "itemCompleted":
                self._behind.pop(event["itemId"], None)
        self._look_later()
        return [event for event in events if event["type"] != "itemDelta"]

    def _look_later(self) -> None:
        if self._behind and not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_later(PAUSE, self._look)

    def _look(self) -> None:
        self._looking = False
        self._catch_up(time.time())
        self._look_later()

    def _catch_up(self, at: float) -> None:
        """Tell what was left out, when the client reads again."""
        if self._behind and not self._holds and self._peer.backlog <= DRAINED:
            behind, self._behind = self._behind, {}
            self._send(self._translator.caught_up(behind, at))
