"""The checks of one run: before each model call and each tool call; and what it spent, written down."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress

from agls.engine.facts import GateFact, Notice
from agls.engine.feature import Attempt, CallTool, Invocation, RunView
from agls.engine.limits import KINDS, Kind, left, tightest
from agls.engine.ports import ModelError, ModelResolver, has_prices
from agls.engine.replies import model_name
from agls.engine.state import State
from agls.engine.vocabulary import Limits, Stop, StopReason, ToolOutcome
from agls.features.budget.account import Account
from agls.features.budget.scopes import Scope, of_caller, of_day, of_run, of_session
from agls.features.budget.watch import SecondsWatch
from agls.room.budgets import Allowance, BudgetScope, Refusal
from agls.room.delegation import hands_over

ROOM = "budget"
REFUSED, UNPRICED = "refused", "unpriced"
TOOL_CALLS = next(kind for kind in KINDS if kind.field == "max_tool_calls")
TASKS = next(kind for kind in KINDS if kind.field == "max_delegated_tasks")
UNPRICED_TEXT = (
    "The price of this model is not known, so its calls count as free and the cost limit cannot hold. "
    "Set input_price and output_price in its [models] table, or limit tokens (max_total_tokens)."
)
REPAIR = "Make it readable, or take [budget.day] and [budget.callers] out of the configuration."


class Checks:
    """Holds one run to its own limits, those of its session and of the day, and to those of its parents."""

    def __init__(
        self,
        allowance: Allowance,
        account: Account,
        models: ModelResolver,
        parent_scopes: Sequence[BudgetScope],
        open_scope: Callable[[BudgetScope], AbstractContextManager[None]],
    ) -> None:
        self._models = models
        self._parent_scopes = parent_scopes
        self._open_scope = open_scope
        self._account, self._by_day = account, allowance.by_day
        self._scopes = (
            of_run(),
            of_session(allowance.session, account.used_by_session),
            *of_day(allowance.day, account.used),
            *of_caller(allowance.caller, account.used_by_caller, allowance.who),
        )
        self.watch = SecondsWatch(self._scopes[1:])

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """Enter the run before it spends, and what it spent when it is over, however it ended."""
        await self._account.enter(view)
        try:
            with self._open_scope(RunScope(self, view)), self.watch.on(view):
                return await attempt()
        finally:
            await self._account.enter(view, ended=True)

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Stop before anything is spent that is not there any more."""
        self._warn_of_unpriced(view)
        stop = await self.look(view, begins=self._account.is_new_day(view.state))
        return (stop,) if stop else ()

    async def look(self, view: RunView, *, begins: bool = False) -> Stop | None:
        """Return why no model may be asked any more. `begins`: this is the first turn of a day."""
        if begins or self._by_day:
            await self._account.enter(view)
        if self._by_day:
            await self._account.look(view.state.run_id)
            if self._account.problem:
                return Stop(StopReason.BUDGET, f"{self._account.problem} {REPAIR}")
            self.watch.set(view.state)
        if stop := next((stop for scope in self._scopes for stop in _stops(scope, view.state)), None):
            return stop
        return next(filter(None, [await scope.look() for scope in self._parent_scopes]), None)

    async def around_tool(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Refuse a tool call beyond a limit; the run ends at the next gate, when its neighbours are done."""
        state, call_id = view.state, invocation.call.call_id
        refusal = self.refusal(invocation.call.name, _ahead(state, call_id), state)
        if refusal is None:
            return await inner(invocation)
        if refusal.kind is TOOL_CALLS:
            view.note(ROOM, REFUSED, {"runId": state.run_id, "callId": call_id})
        return ToolOutcome(refusal.text, status="rejected", refused_by="limit")

    def refusal(self, tool: str, ahead: int, state: State) -> Refusal | None:
        """Return why no tool of this name may be called any more, with `ahead` calls before this one."""
        for scope in self._scopes:
            limits, used = scope.limits(state), scope.used(state)
            if limits.max_tool_calls is not None and used.tool_calls + ahead >= limits.max_tool_calls:
                return _refused(TOOL_CALLS, limits.max_tool_calls, scope)
            tasks = limits.max_delegated_tasks
            if tasks is not None and used.delegated_tasks >= tasks and hands_over(tool):
                return _refused(TASKS, tasks, scope)
        return next(filter(None, (scope.refusal(tool, ahead) for scope in self._parent_scopes)), None)

    def left(self, state: State) -> Limits:
        """Return what is left under every limit that holds for the run."""
        own = (left(scope.limits(state), scope.used(state)) for scope in self._scopes)
        return tightest(*own, *(scope.left() for scope in self._parent_scopes))

    def _warn_of_unpriced(self, view: RunView) -> None:
        """Say once in a run, before the model is asked, that no limit of its cost can hold."""
        state = view.state
        limited = any(scope.limits(state).max_cost_usd is not None for scope in self._scopes)
        if not limited or _noted(state, UNPRICED) or not (state.run.unpriced or self._is_unpriced(state)):
            return
        view.note(ROOM, UNPRICED, {"runId": state.run_id})
        view.show(Notice("warning", "The cost limit does not cover this model", UNPRICED_TEXT))

    def _is_unpriced(self, state: State) -> bool:
        with suppress(ModelError):  # the request raises it again
            return not has_prices(self._models.resolve(model_name(state)).info)
        return False


class RunScope:
    """The budget of a run, as its helpers see it."""

    def __init__(self, checks: Checks, view: RunView) -> None:
        self._checks = checks
        self._view = view
        self._turn = asyncio.Lock()

    async def look(self) -> Stop | None:
        """Return why no model may be asked any more. One look at a time: the sums only grow."""
        async with self._turn:
            return await self._checks.look(self._view)

    def refusal(self, tool: str, ahead: int) -> Refusal | None:
        """Return why no tool of this name may be called any more, with `ahead` calls before this one."""
        return self._checks.refusal(tool, ahead, self._view.state)

    def left(self) -> Limits:
        """Return what is left under every limit that holds for the run."""
        return self._checks.left(self._view.state)


def _stops(scope: Scope, state: State) -> Sequence[Stop]:
    refused = scope.is_used_up(TOOL_CALLS, state) and _noted(state, REFUSED)
    return (*((scope.stop(TOOL_CALLS, state),) if refused else ()), *scope.stops(state))


def _refused(kind: Kind, limit: int, scope: Scope) -> Refusal:
    text = f"Not run: nothing is left of the {limit} {kind.label} of {scope.name or 'this run'}."
    return Refusal(kind, text)


def _ahead(state: State, call_id: str) -> int:
    """Return how many calls of the same reply come before this one and may still start."""
    waiting = [open_call.call.call_id for open_call in state.calls.values() if not open_call.started]
    return waiting.index(call_id) if call_id in waiting else 0  # a call of a room is of no reply


def _noted(state: State, kind: str) -> bool:
    notes = state.notes.get(ROOM, ())
    return any(note.kind == kind and note.data.get("runId") == state.run_id for note in notes)
