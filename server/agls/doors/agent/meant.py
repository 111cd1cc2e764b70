"""Which run a cancel without a `runId` can mean: none that its client cannot know of (protocol#cancel)."""

import time

from agls.doors.agent.peer import Peer
from agls.engine.facts import Admitted, Entry, RunEnded, RunStarted, Transient
from agls.engine.state import State


class Meant:
    """What the client of a session can know of its runs.

    A run that waited begins by itself when the one before it ends. Whoever cancels then without a
    `runId` may still mean the one before. So a run that began by itself counts only when the client
    acknowledged its beginning, or has read for a while since.
    """

    def __init__(self, state: State, peer: Peer) -> None:
        self._peer, self._state = peer, state
        self._waited = {admitted.run_id for admitted in state.queue}
        self._began, self._seq = time.monotonic(), state.seq
        self._ended = ""

    @property
    def before(self) -> str:
        """The run that a cancel means while the running one began by itself, and just now; else ""."""
        current = self._state.run_id if self._state.running else self._next
        return self._ended if current in self._waited and not self._can_know() else ""

    def begin(self, run_id: str) -> None:
        """The client wanted this run to begin at once, whatever goes on."""
        self._waited.discard(run_id)

    def acknowledge(self, seq: int) -> None:
        """The client has taken in everything up to this fact."""
        if self._state.running and seq >= self._seq:
            self._waited.discard(self._state.run_id)

    def take(self, event: Entry | Transient, state: State) -> None:
        """This happened."""
        self._state = state
        match event:
            case Entry(fact=Admitted(run_id)) if state.running or len(state.queue) > 1:
                self._waited.add(run_id)
            case Entry(seq, fact=RunStarted()):
                self._began, self._seq = time.monotonic(), seq
            case Entry(fact=RunEnded(run_id)):
                if run_id == state.run_id or run_id not in self._waited:  # else it was taken out of the queue
                    self._ended = run_id
                self._waited.discard(run_id)
            case _:
                pass

    @property
    def _next(self) -> str:
        return self._state.queue[0].run_id if self._state.queue else ""

    def _can_know(self) -> bool:
        read_until = time.monotonic() - self._peer.stalled()
        return self._state.running and read_until - self._began >= self._peer.limits.known
