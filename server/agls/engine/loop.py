"""One run: one way in, one way out, and between them the loop that asks the model and runs its tools."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from contextlib import ExitStack
from typing import Any, Literal

from agls.engine.calls import begins, pass_call, settle
from agls.engine.facts import Fact, Noted, Overflowed, Replied, RunEnded, RunStarted, TakenIn, Transient
from agls.engine.feature import Attempt, RunSetup, observer_of, wrap_run
from agls.engine.log import Log
from agls.engine.ports import ModelError, Spawn, Tool
from agls.engine.replies import failed, get_reply
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, StopReason, ToolCall, ToolOutcome
from agls.frozen import frozen

GRACE = 3.0  # seconds that cancelled work gets to end by itself; then the run ends without it
REASONS = {"length": StopReason.MAX_TOKENS} | dict.fromkeys(("refusal", "content_filter"), StopReason.REFUSAL)
_log = logging.getLogger(__name__)


@frozen
class RunResult:
    """How a run ended; its totals and messages are read from the state."""

    stop: Stop
    state: State


class Run:
    """One run of a session, as its features see it too (`RunView`)."""

    def __init__(self, run_id: str, log: Log, build_run: Callable[[], RunSetup], spawn: Spawn) -> None:
        self.run_id = run_id
        self.accepting = True  # whether a message or a stop can still reach it
        self._log = log
        self._build_run = build_run
        self._spawn = spawn
        self.asked: asyncio.Future[Stop] = asyncio.get_running_loop().create_future()  # why it shall end
        self._ends = ExitStack()  # cleaned up at the end
        self._over = False

    async def run(self) -> RunResult:
        """Run to the end and record it. **Raises** only the caller's own cancellation."""
        stop = Stop(StopReason.CANCELLED, "the caller went away")
        with self._ends:
            try:
                stop = await self._outcome(self._begin)
            finally:
                self._over = True
                self._log.record(RunEnded(self.run_id, stop))
        return RunResult(stop, self.state)

    async def _outcome(self, attempt: Attempt) -> Stop:
        """Translate how the work was left to why the run stops; nothing else does that."""
        try:
            stop = await attempt()
        except ModelError as error:
            stop = failed(error)
        except Exception as bug:  # noqa: BLE001 - any bug ends the run, none escapes
            _log.exception("run %s failed", self.run_id)
            stop = Stop(StopReason.INTERNAL_ERROR, f"{type(bug).__name__}: {bug}", "internal")
        finally:
            self.accepting = False
        return self.asked.result() if self.asked.done() else stop

    async def _begin(self) -> Stop:
        if self.asked.done():
            return self.asked.result()
        self._setup = self._ends.enter_context(self._build_run())
        self._ends.callback(self._log.subscribe(observer_of(self._setup.features)))
        with_content = any(prompt.content for prompt in self.state.queue if prompt.run_id == self.run_id)
        changed = self._setup.limits if self._setup.limits != self.state.limits else None
        self.record(RunStarted(self.run_id, changed, None if with_content else ()))
        return await wrap_run(self._setup.around_run, self, self._supervised)()

    async def _supervised(self) -> Stop:
        """Run the turns in a task of their own: a stop ends them, but never the clean-up around them."""
        turns = self._spawn(self._outcome(self._turns))
        try:
            await asyncio.wait({turns, self.asked}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            if turns.cancel():  # it is not over yet
                await asyncio.wait({turns}, timeout=GRACE)
        return self.asked.result() if self.asked.done() else turns.result()

    async def _turns(self) -> Stop:
        while True:
            if (stop := await self._gate()) is not None:
                return stop
            reply = await get_reply(self._log, self.record, self._setup, self)
            if isinstance(reply, Overflowed) and self.state.overflowed:
                return Stop(StopReason.CONTEXT_FULL, reply.message)  # nobody made room
            self.record(reply)
            if isinstance(reply, Overflowed):
                continue  # compaction sees it at the gate
            if reply.tool_calls:
                await settle(reply.tool_calls, self._offered, self._setup, self, self._log, self.record)
            elif not await self._continued(reply) and not self.state.pending:
                return Stop(REASONS.get(reply.finish, StopReason.END_TURN))

    async def _gate(self) -> Stop | None:
        if self.state.pending:
            self.record(TakenIn(tuple(message.item_id for message in self.state.pending)))
        for pass_gate in self._setup.gates:
            for verdict in await pass_gate(self):
                if isinstance(verdict, Stop):
                    return verdict
                self.record(verdict)
        return None

    async def _continued(self, reply: Replied) -> bool:
        for pass_gate in self._setup.last_gates:
            if verdicts := await pass_gate(reply, self):
                for verdict in verdicts:
                    self.record(verdict)
                return True
        return False

    @property
    def _offered(self) -> tuple[Tool, ...]:
        return self._setup.offered(self.state)

    # --- what features see (`RunView`) ---

    @property
    def state(self) -> State:
        return self._log.state

    def record(self, fact: Fact) -> None:
        if self._over or (self.asked.done() and begins(fact)):  # abandoned work makes no more history
            raise asyncio.CancelledError
        self._log.record(fact)

    def note(self, feature: str, kind: str, data: JsonObject) -> None:
        self.record(Noted(feature, kind, data))

    def show(self, event: Transient) -> None:
        self._log.show(event)

    def stop(self, stop: Stop) -> None:
        if self.accepting:
            self.accepting = False
            self.asked.set_result(stop)

    def spawn(self, work: Coroutine[Any, Any, None], scope: Literal["run", "session"]) -> None:
        task = self._spawn(work)
        if scope == "run":
            self._ends.callback(task.cancel)

    async def pass_call(self, call: ToolCall, consent: str = "") -> ToolOutcome:
        return await pass_call(call, consent, self._offered, self._setup, self, self._log)
