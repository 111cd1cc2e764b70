"""The checks of one run: before each model call and each tool call; and what it spent, written down."""

from collections.abc import Callable, Sequence

from aglet.engine.facts import GateFact, Notice
from aglet.engine.feature import Attempt, CallTool, Invocation, RunView
from aglet.engine.limits import KINDS, Kind
from aglet.engine.state import State
from aglet.engine.vocabulary import Stop, StopReason, ToolOutcome
from aglet.features.budget.account import Account
from aglet.features.budget.allowance import Allowance
from aglet.features.budget.scopes import Scope, of_caller, of_day, of_run, of_session

ROOM = "budget"
REFUSED, UNPRICED = "refused", "unpriced"
TOOL_CALLS = next(kind for kind in KINDS if kind.field == "max_tool_calls")
TASKS = next(kind for kind in KINDS if kind.field == "max_delegated_tasks")
REPAIR = "Make it readable, or take [budget.day] and [budget.callers] out of the configuration."


class Checks:
    """Holds one run to its own limits, those of its session and of the day.

    `delegates` says of the name of a tool whether it hands work to others.
    """

    def __init__(self, allowance: Allowance, account: Account, delegates: Callable[[str], bool]) -> None:
        self._delegates = delegates
        self._account, self._by_day = account, allowance.by_day
        self._scopes = (
            of_run(),
            of_session(allowance.session),
            *of_day(allowance.day, account.used),
            *of_caller(allowance.caller, account.used_by_caller, allowance.who),
        )

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """Enter the run before it spends, and what it spent when it is over, however it ended."""
        await self._account.enter(view)
        try:
            return await attempt()
        finally:
            await self._account.enter(view, ended=True)

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Stop before anything is spent that is not there any more."""
        self._warn_of_unpriced(view)
        if self._account.is_new_day(view.state) or self._by_day:
            await self._account.enter(view)
        if self._by_day:
            await self._account.look(view.state.run_id)
            if self._account.problem:
                return (Stop(StopReason.BUDGET, f"{self._account.problem} {REPAIR}"),)
        stops = (stop for scope in self._scopes for stop in _stops(scope, view.state))
        return tuple(stops)[:1]

    async def around_tool(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Refuse a tool call beyond a limit; the run ends at the next gate, when its neighbours are done."""
        state, call_id = view.state, invocation.call.call_id
        for scope in self._scopes:
            limit = scope.limits(state).max_tool_calls
            if limit is not None and scope.used(state).tool_calls + _ahead(state, call_id) >= limit:
                view.note(ROOM, REFUSED, {"runId": state.run_id, "callId": call_id})
                return _rejected(TOOL_CALLS, limit, scope)
            tasks = scope.limits(state).max_delegated_tasks
            if tasks is not None and scope.is_used_up(TASKS, state) and self._delegates(invocation.call.name):
                return _rejected(TASKS, tasks, scope)
        return await inner(invocation)

    def _warn_of_unpriced(self, view: RunView) -> None:
        state = view.state
        limited = any(scope.limits(state).max_cost_usd is not None for scope in self._scopes)
        if not limited or not state.run.unpriced or _noted(state, UNPRICED):
            return
        view.note(ROOM, UNPRICED, {"runId": state.run_id})
        text = (
            "The price of this model is not known, so its calls count as free and the cost limit cannot "
            "hold. Configure the model's prices, or limit tokens."
        )
        view.show(Notice("warning", "The cost limit does not cover this model", text))


def _stops(scope: Scope, state: State) -> Sequence[Stop]:
    refused = scope.is_used_up(TOOL_CALLS, state) and _noted(state, REFUSED)
    return (*((scope.stop(TOOL_CALLS, state),) if refused else ()), *scope.stops(state))


def _rejected(kind: Kind, limit: int, scope: Scope) -> ToolOutcome:
    text = f"Not run: nothing is left of the {limit} {kind.label} of {scope.name or 'this run'}."
    return ToolOutcome(text, status="rejected")


def _ahead(state: State, call_id: str) -> int:
    """How many calls of the same reply come before this one and may still start."""
    waiting = [open_call.call.call_id for open_call in state.calls.values() if not open_call.started]
    return waiting.index(call_id)


def _noted(state: State, kind: str) -> bool:
    notes = state.notes.get(ROOM, ())
    return any(note.kind == kind and note.data.get("runId") == state.run_id for note in notes)
