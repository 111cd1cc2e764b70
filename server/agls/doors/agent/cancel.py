"""Every way in which a client cancels, and what each reaches (protocol#cancel).

- A request: `$/cancelRequest` and the cancel of a progress token break off what only waits, and mark the
  `Call` else.
- A run that is not admitted yet: `PendingAdmissions`; it is admitted all the same, and ends at once.
- A run without its id: `CancelTarget` knows which one the client can mean.
- All work of a session: `end_work`, before it is closed or deleted.

What happens to a run that is cancelled is the engine's affair (`Session.cancel`).
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import NamedTuple

from agls.doors.agent.call import Call
from agls.doors.agent.peer import Peer
from agls.doors.messages import CANCELLED, Bad
from agls.doors.task_choice import keep_or_stop
from agls.engine.facts import Admitted, Entry, RunEnded, RunStarted, Transient
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import BY_USER, Stop
from agls_protocol.types import CancelParams, CancelResult

UNCHANGED = "The request was cancelled. Everything is as it was."

# --- requests ---


def cancel_request(call: Call, task: asyncio.Task[None]) -> None:
    """Cancel a request that is not answered yet: at once where nothing would be lost, else when it can be."""
    if call.interruptible and not call.cancelled:
        task.cancel()  # once: a second one would break off what the first began
    call.cancelled = True


@contextmanager
def breakable(call: Call) -> Generator[None]:
    """In the block the client may cancel the request, which then did nothing. **Raises** `Bad`."""
    task = asyncio.current_task()
    assert task is not None
    broken_off = Bad(CANCELLED, UNCHANGED)
    if call.cancelled:
        raise broken_off
    call.interruptible = True
    try:
        yield
    except asyncio.CancelledError:
        if not call.cancelled:  # the connection ends
            raise
        task.uncancel()
        raise broken_off from None
    finally:
        call.interruptible = False


def cancel_if_withdrawn(call: Call, session: Session, run_id: str) -> None:
    """End the run that a request began, when the request was cancelled before its client could know of it."""
    if call.cancelled:
        session.cancel(run_id, stop=call.stop)


# --- runs that are not admitted yet ---


class PendingAdmission(NamedTuple):
    """A run that is asked for and not admitted yet; whether it `follows` another that was there before.

    `apart` is set while it has not come to its session, and when it is over: nobody has to wait for it.
    """

    session_id: str
    follows: bool
    apart: asyncio.Event


class PendingAdmissions:
    """The runs about to be admitted. One that is cancelled is admitted all the same, and ends at once."""

    def __init__(self) -> None:
        self._pending: dict[Call, PendingAdmission] = {}

    @asynccontextmanager
    async def under_way(
        self, session_id: str, call: Call, *, busy: bool, opens: Awaitable[None]
    ) -> AsyncGenerator[None]:
        """While a run is admitted to this session, `busy` with others or not, as soon as that `opens`."""
        follows = busy or bool(self._of(session_id))
        self._pending[call] = admission = PendingAdmission(session_id, follows, asyncio.Event())
        admission.apart.set()
        try:
            await opens
            admission.apart.clear()
            yield
        finally:
            del self._pending[call]
            admission.apart.set()

    def cancel(self, session_id: str, stop: Stop, *, all: bool) -> bool:
        """Cancel the run that follows no other, or `all` of a session. **Returns** whether there was one."""
        reached = [call for call, one in self._of(session_id).items() if all or not one.follows]
        for call in reached:
            call.cancelled, call.stop = True, stop
        return bool(reached)

    async def over(self, session_id: str) -> None:
        """Wait until those that are under way now are admitted or refused."""
        for one in self._of(session_id).values():
            await one.apart.wait()

    def _of(self, session_id: str) -> dict[Call, PendingAdmission]:
        return {call: one for call, one in self._pending.items() if one.session_id == session_id}


# --- the run that a client can mean ---


class CancelTarget:
    """The run that a cancel without a `runId` can mean: none that the client of a session cannot know of.

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
        """Note that the client wanted this run to begin at once, whatever goes on."""
        self._waited.discard(run_id)

    def acknowledge(self, seq: int) -> None:
        """Note that the client has taken in everything up to this fact."""
        if self._state.running and seq >= self._seq:
            self._waited.discard(self._state.run_id)

    def take(self, event: Entry | Transient, state: State) -> None:
        """Follow the session by one event; `state` is the one behind it."""
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


# --- runs of a session ---


def cancel_runs(
    session: Session, target: CancelTarget, pending: PendingAdmissions, params: CancelParams, stop: Stop
) -> CancelResult:
    """Stop the named run, or the one the client can mean; to cancel nothing is success."""
    drop = params.queued == "drop"
    tasks = keep_or_stop(session.background, params.tasks, stop)
    if not (params.run_id or drop) and (before := target.before):
        return CancelResult("alreadyEnded", _after(session.state), [], before, *tasks)
    done = session.cancel(params.run_id, params.queued, stop)
    kept, dropped = list(done.kept), list(done.dropped)
    if drop or done.state == "notRunning":
        reached = pending.cancel(session.session_id, stop, all=drop)
        if reached and done.state == "notRunning":
            return CancelResult("cancelling", kept, dropped, None, *tasks)
    return CancelResult(done.state, kept, dropped, done.run_id or None, *tasks)


def end_work(session_id: str, session: Session | None, pending: PendingAdmissions) -> None:
    """Cancel every run of a session, those on their way into it too."""
    pending.cancel(session_id, BY_USER, all=True)
    if session is not None:
        session.cancel(queued="drop")


def _after(state: State) -> list[str]:
    """Return the runs that began, or will begin, when the one before them ended."""
    running = [state.run_id] if state.running else []
    return [*running, *(admitted.run_id for admitted in state.queue)]
