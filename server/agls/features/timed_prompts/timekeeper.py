"""One prompt at its times: it waits for them, and for what the session does then."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Protocol

from agls.engine.actions import ActionError
from agls.engine.facts import Entry, RunEnded, Transient
from agls.engine.state import State
from agls.engine.vocabulary import CallStatus, Stop, StopReason, ToolOutcome
from agls.features.timed_prompts.settings import Settings
from agls.features.timed_prompts.times import HOUR, clock_time, duration
from agls.frozen import frozen
from agls.room.session_ports import SessionRecord
from agls.short_text import number_of, sentence

LOOK = 20.0  # seconds: a clock may be set, and a machine sleep
LATE = 90.0  # seconds from when on a run is said to be late
MOST_FAILURES = 3
STOPPED = frozenset({StopReason.CANCELLED, StopReason.KILLED, StopReason.INTERRUPTED})


@frozen
class TimedPrompt:
    """A prompt for the moment `due` (Unix time), and then so long (`every`, in seconds) after each run.

    0 is once.
    """

    text: str
    due: float
    every: float = 0.0


class Typist(Protocol):
    """Begins what a typed text is for. **Returns** the run. **Raises** `ActionError`."""

    async def type(self, text: str) -> str: ...


class SessionWatch:
    """What a session does, as it is recorded from now on; it was in `state` before."""

    def __init__(self, record: SessionRecord, state: State) -> None:
        self._state, self._changed = state, asyncio.Event()
        self._ended: dict[str, Stop] = {}
        self.leave = record.watch(self._observe)

    def _observe(self, event: Entry | Transient, state: State) -> None:
        if isinstance(event, Entry):
            self._state = state
            if isinstance(event.fact, RunEnded):
                self._ended[event.fact.run_id] = event.fact.stop
            self._changed.set()

    async def idle(self) -> None:
        """Wait until no run is on and none waits."""
        await self._until(lambda: not (self._state.running or self._state.queue))
        self._ended.clear()

    async def end_of(self, run_id: str) -> Stop:
        """Return why a run ended, which was admitted since the session was idle."""
        await self._until(lambda: run_id in self._ended)
        return self._ended[run_id]

    async def _until(self, so: Callable[[], bool]) -> None:
        while not so():
            self._changed.clear()
            await self._changed.wait()


class Timekeeper:
    """Sends one prompt at its times."""

    def __init__(
        self,
        prompt: TimedPrompt,
        typist: Typist,
        watch: SessionWatch,
        settings: Settings,
        now: Callable[[], float],
        sleep: Callable[[float], Awaitable[object]] = asyncio.sleep,
    ) -> None:
        self._prompt, self._settings = prompt, settings
        self._typist, self._watch = typist, watch
        self._now, self._sleep = now, sleep
        self._runs = self._failures = 0

    async def work(self, show: Callable[[str], None]) -> ToolOutcome:
        """Send it until there is a reason to end. `show` gets a line for each step."""
        due, last = self._prompt.due, self._prompt.due + self._settings.max_hours * HOUR
        try:
            while True:
                show(f"Next at {clock_time(due, self._now())}.\n")
                await self._until(due)
                await self._watch.idle()
                late = self._now() - due
                try:
                    run_id = await self._typist.type(self._prompt.text)
                except ActionError as problem:
                    return self._over(f"no run could begin: {problem}", "failed")
                self._runs += 1
                stop = await self._watch.end_of(run_id)
                delay = f", {duration(late // 60 * 60)} late" if late > LATE else ""
                show(f"Run {self._runs}{delay} ended: {_said(stop)}.\n")
                due = self._now() + self._prompt.every
                if outcome := self._reason(stop, is_last=due > last):
                    return outcome
        finally:
            self._watch.leave()

    async def _until(self, due: float) -> None:
        while (left := due - self._now()) > 0:
            await self._sleep(min(left, LOOK))

    def _reason(self, stop: Stop, *, is_last: bool) -> ToolOutcome | None:
        """Return how this ends after a run that ended so, `None` when it goes on."""
        self._failures = 0 if stop.reason is StopReason.END_TURN else self._failures + 1
        if stop.reason in STOPPED:
            return self._over("its run was stopped", "cancelled")
        if not self._prompt.every:
            return self._over() if not self._failures else self._over(f"it ended: {_said(stop)}", "failed")
        if stop.reason is StopReason.BUDGET:
            return self._over(f"no more may be spent: {_said(stop)}", "failed")
        if self._failures == MOST_FAILURES:
            return self._over(f"{MOST_FAILURES} runs in a row did not come to their end", "failed")
        if self._runs >= self._settings.max_runs:
            return self._over(f"{number_of(self._settings.max_runs, 'run')} are the most that there may be")
        if is_last:
            return self._over(f"it is {self._settings.max_hours:g} hours old, and may not be older")
        return None

    def _over(self, why: str = "", status: CallStatus = "completed") -> ToolOutcome:
        reason = f": {why}" if why else ""
        said = f"Over after {number_of(self._runs, 'run')}{reason}".removesuffix(".")
        return ToolOutcome(f"{said}.", status, "unknown" if self._runs else "none")


def _said(stop: Stop) -> str:
    words = "done" if stop.reason is StopReason.END_TURN else stop.reason.replace("_", " ")
    return f"{words} ({sentence(stop.detail).removesuffix('.')})" if stop.detail else words
