"""A session: admits prompts, runs them one at a time, steers and cancels them."""

import asyncio
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any

from agls.engine.admission import (
    SOMEBODY,
    Admission,
    Cancelled,
    IfEnded,
    Policy,
    Prompter,
    Queued,
    Refused,
    same_again,
)
from agls.engine.background import Background
from agls.engine.facts import Admitted, QueueChanged, Steered
from agls.engine.feature import RunSetup
from agls.engine.log import Log
from agls.engine.loop import Run, RunResult
from agls.engine.ports import JournalError, Spawn, new_id
from agls.engine.questions import Questions
from agls.engine.results import Results
from agls.engine.state import State
from agls.engine.vocabulary import BY_USER, SHUT_DOWN, Content, JsonObject, Stop

BuildRun = Callable[["Session", Admitted], RunSetup]


class Session:
    """One durable conversation, open for writing in this process."""

    def __init__(self, session_id: str, log: Log, build_run: BuildRun, spawn: Spawn) -> None:
        self.session_id = session_id
        self.log = log
        self.questions = Questions(log)
        self.run_setup, self.spawn = partial(build_run, self), spawn
        self._runs: dict[str, Run] = {}  # admitted and not yet ended
        self._results, self.background = Results(), Background(log, spawn)
        self._current, self._closed = "", False
        for waiting in log.outline.queue:  # admitted by a process that died; they run with the next prompt
            self._expect(waiting)

    @property
    def state(self) -> State:
        """The session as it stands now."""
        return self.log.state

    @property
    def outline(self) -> State:
        """How the session stands, at once; what grows with a session may be missing."""
        return self.log.outline

    async def prompt(
        self,
        content: tuple[Content, ...],
        policy: Policy = "queue",
        *,
        options: JsonObject | None = None,
        key: str = "",
        recovers: str = "",
        prompter: Prompter = SOMEBODY,
    ) -> Admission:
        """Admit a prompt, durably (see `Prompter`): once for the same `key`. **Raises** `Refused`."""
        if key in self.state.keys:
            return await same_again(self.log, key, content, options or {}, continues=bool(recovers))
        outcome = "queued" if self._current or self.outline.queue else "started"
        if outcome == "queued" and policy == "ifIdle":
            raise Refused("A run is active in this session.", "runActive", self._current)
        if policy == "steer" and (current := self._runs.get(self._current)) and current.accepting:
            return await self.steer(content, key=key)
        chosen = str(
            (options or {}).get("runId") or new_id("run")
        )  # the door that offers this option checks it
        admitted = Admitted(chosen, new_id("item"), content, key, options or {}, recovers)
        self._expect(admitted)
        self.log.record(admitted)
        if policy == "interrupt":
            self.cancel()
            self.log.record(QueueChanged((admitted.run_id, *(a.run_id for a in self.outline.queue[:-1]))))
        self.start_next()
        if prompter.gone:
            self.cancel(admitted.run_id, stop=prompter.gone)
        await self.log.sync_prompt(self.spawn if prompter.waits else None)
        return Admission(outcome, admitted.run_id, admitted.item_id)

    async def finished(self, run_id: str) -> RunResult:
        """Wait for the end of a run; cancelling the wait cancels the run. **Raises** `JournalError`."""
        result = self._results[run_id]
        try:
            return await asyncio.shield(result)
        except asyncio.CancelledError:
            self.cancel(run_id)
            await asyncio.wait({result})
            raise

    async def steer(
        self,
        content: tuple[Content, ...],
        expected: str = "",
        if_ended: IfEnded = "return",
        key: str = "",
        stop: Stop | None = None,
    ) -> Admission:
        """Put a message into the running conversation, or do what `if_ended` says. **Raises** `Refused`."""
        if key in self.state.keys:
            return await same_again(self.log, key, content, {})
        current = self._runs.get(self._current)
        if current and current.accepting and expected not in {"", current.run_id}:
            raise Refused("Another run is active.", "runMismatch", current.run_id)
        if current and current.accepting:
            steered = Steered(new_id("item"), current.run_id, content, key)
            self.log.record(steered)
            await self.log.sync()
            return Admission("injected", steered.run_id, steered.item_id)
        return (
            Admission()
            if if_ended == "return"
            else await self.prompt(content, key=key, prompter=Prompter(stop))
        )

    def cancel(self, run_id: str = "", queued: Queued = "keep", stop: Stop = BY_USER) -> Cancelled:
        """Stop a run (the current one by default), whether or not it has begun. Never fails."""
        waiting = self._waiting()
        dropped = tuple(i for i in waiting if queued == "drop" or i == run_id)
        kept = tuple(i for i in waiting if i not in dropped)
        if dropped:
            order = tuple(a.run_id for a in self.outline.queue if a.run_id not in dropped)
            self.log.record(QueueChanged(order))
        for waiting_id in dropped:
            self._runs[waiting_id].stop(stop)
            self.spawn(self._work(waiting_id))
        target = run_id or self._current
        if run := self._runs.get(target):
            run.stop(stop)
            return Cancelled("cancelling" if run.asked.done() else "alreadyEnded", target, kept, dropped)
        return Cancelled("alreadyEnded" if run_id else "notRunning", target, kept, dropped)

    async def close(self, at_end: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """End the run as interrupted, and the tasks; give the journal back. Waiting prompts are kept.

        What is to be done `at_end` is done when nothing runs any more, as long as the journal can be written.
        """
        self._closed = True
        self.cancel(stop=SHUT_DOWN)
        beside = self.spawn(self.background.close())
        await self._results.all_but(self._waiting)
        await beside
        await self.spawn(at_end())
        self._results.fail(self._waiting())
        await asyncio.to_thread(self.log.keep_rests)
        self.log.journal.close()

    def _waiting(self) -> tuple[str, ...]:
        return tuple(a.run_id for a in self.outline.queue if a.run_id != self._current)

    def _expect(self, admitted: Admitted) -> None:
        run = Run(admitted.run_id, self.log, partial(self.run_setup, admitted), self.spawn)
        self._runs[admitted.run_id] = run
        self._results.expect(admitted.run_id)

    def start_next(self) -> None:
        """Begin the first run that waits, unless one is running or the session is closed."""
        if self.outline.queue and not self._current and not self._closed:
            self._current = self.outline.queue[0].run_id
            self.spawn(self._work(self._current))

    async def _work(self, run_id: str) -> None:
        result = self._results[run_id]
        try:
            ended = await self._runs[run_id].run()
            self._let_go(run_id)  # in the same step: an observer of the end can begin the next run
            await self.log.sync()
            result.set_result(ended)
        except JournalError as lost:
            self._closed = True  # another process has this session now
            self._results.fail((run_id, *self._waiting()), lost)
        finally:
            result.cancel()  # nothing happens when there is a result
            self._let_go(run_id)

    def _let_go(self, run_id: str) -> None:
        self._runs.pop(run_id, None)
        if self._current == run_id:
            self._current = ""
            self.start_next()
