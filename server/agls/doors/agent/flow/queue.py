"""How fast a session's events go to the client: at once, merged, or without deltas (protocol#flow)."""

import asyncio
import time
from collections import deque

from agls.doors.agent.flow.batches import Batch, Piece
from agls.doors.agent.flow.left_out import CaughtUp, LeftOutDeltas
from agls.doors.agent.flow.sizes import SMALLEST, pieces_of
from agls.doors.agent.peer import Peer
from agls.doors.messages import JsonObject
from agls.views.events import place_of

PAUSE = 0.1  # seconds between two looks whether the client reads again


class Flow:
    """The events of one session on their way to one client.

    Facts always go. Deltas are merged while much is waiting or the client asked for it; they are left
    out while too much is waiting or the client owes acknowledgements, and made up for later.
    """

    def __init__(self, peer: Peer, caught_up: CaughtUp) -> None:
        self._peer = peer
        self._excluded = peer.client.excluded
        self._interval = peer.client.interval
        self._limits = peer.limits
        self._largest = largest_event(peer)
        self._left_out = LeftOutDeltas(caught_up, self._largest)
        self._looking = False
        self._merging: Batch | None = None  # deltas that wait for their time
        self._next = 0.0  # when (loop time) the next delta may go
        self._credit = Credit(self._limits.credit)

    def send(self, events: list[JsonObject]) -> None:
        """Send these events, which belong together."""
        if self._crowded():
            self._spare_waiting()
            self._send(self._left_out.spare(events))
            self._look_later()
            return
        if len(events) == 1 and events[0]["type"] == "itemDelta":
            self._send_delta(events[0])
            return
        self._go_on()
        self._send(events)
        if events and events[-1]["type"] == "itemDelta":  # the first word: it waits for nothing
            self._peer.flush()

    def catch_up(self, at: float) -> None:
        """Make up for what was left out, when the client reads again; `at` is the Unix time."""
        drained = self._peer.backlog <= self._limits.drained
        if self._left_out and drained and not self._credit.spent:
            self._send(self._left_out.catch_up(at))

    def acknowledge(self, seq: int) -> None:
        """Note that the client has everything up to this fact, and what was shown behind it."""
        self._credit.give_back(seq)
        self.catch_up(time.time())

    def _crowded(self) -> bool:
        return bool(self._left_out) or self._peer.backlog > self._limits.full or self._credit.spent

    def _send(self, events: list[JsonObject]) -> None:
        if pieces := self._pieces(events):
            self._peer.send_events(pieces)

    def _pieces(self, events: list[JsonObject]) -> list[Piece]:
        wanted = [event for event in events if event["type"] not in self._excluded]
        self._credit.spend(wanted)
        return [piece for event in wanted for piece in pieces_of(event, self._largest)]

    # --- merging ---

    def _send_delta(self, event: JsonObject) -> None:
        crowded = self._peer.backlog > self._limits.high
        interval = max(self._interval, self._limits.merge if crowded else 0.0)
        if not interval and self._merging is None:
            self._send([event])
            return
        loop = asyncio.get_running_loop()
        if self._merging is None and loop.time() >= self._next:
            self._next = loop.time() + interval
            self._send([event])
        else:
            self._merge(loop, self._pieces([event]))

    def _merge(self, loop: asyncio.AbstractEventLoop, pieces: list[Piece]) -> None:
        if self._merging is None:
            self._merging = Batch(pieces)
            loop.call_at(self._next, self._go_on, self._merging)
        elif not self._merging.take(pieces):
            self._go_on()
            self._peer.send_events(pieces)

    def _go_on(self, expected: Batch | None = None) -> None:
        """Send what was merged, unless it (`expected`) went already."""
        if self._merging is not None and expected in {None, self._merging}:
            merged, self._merging = self._merging, None
            self._next = asyncio.get_running_loop().time() + self._interval
            self._peer.send_events(merged.pieces)

    # --- leaving out ---

    def _spare_waiting(self) -> None:
        if self._merging is not None:
            self._left_out.add(self._merging.items)
            self._merging = None

    def _look_later(self) -> None:
        if self._left_out and not self._looking:
            self._looking = True
            asyncio.get_running_loop().call_later(PAUSE, self._look)

    def _look(self) -> None:
        self._looking = False
        self.catch_up(time.time())
        self._look_later()


def largest_event(peer: Peer) -> int:
    """Return how many bytes one event may have for this client."""
    limit = peer.limits.event
    return max(SMALLEST, min(limit, peer.client.largest or limit))


class Credit:
    """How many events a client that acknowledges may have in hand; one that never does has no limit."""

    def __init__(self, window: int) -> None:
        self._window = window
        self._asked = False
        self._open = 0
        self._sent: deque[list[int]] = deque()  # place among the facts, and how many events stand there

    @property
    def spent(self) -> bool:
        """Whether the client has to acknowledge before it gets more deltas."""
        return self._asked and self._open >= self._window

    def spend(self, events: list[JsonObject]) -> None:
        """Note that these go to the client."""
        for event in events:
            place = place_of(event)
            if self._sent and self._sent[-1][0] == place:
                self._sent[-1][1] += 1
            else:
                self._sent.append([place, 1])
            self._open += 1
        while not self._asked and len(self._sent) > self._window:
            self._open -= self._sent.popleft()[1]

    def give_back(self, seq: int) -> None:
        """Note that the client has everything up to this fact."""
        self._asked = True
        while self._sent and self._sent[0][0] <= seq:
            self._open -= self._sent.popleft()[1]
