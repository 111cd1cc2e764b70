"""The two checks of a run's limits: before each model call, and before each tool call."""

from collections.abc import Sequence

from aglet.engine.facts import GateFact, Notice
from aglet.engine.feature import CallTool, Invocation, RunView
from aglet.engine.state import State
from aglet.engine.vocabulary import Stop, StopReason, ToolOutcome
from aglet.features.budget.limits import used_up

ROOM = "budget"
REFUSED, UNPRICED = "refused", "unpriced"


async def before_turn(view: RunView) -> Sequence[Stop | GateFact]:
    """Stop before anything is spent that is not there any more."""
    state = view.state
    _warn_of_unpriced(view)
    used, limit = state.run.tool_calls, state.limits.max_tool_calls
    if limit is not None and used >= limit and _noted(state, REFUSED):
        return (Stop(StopReason.BUDGET, f"The budget of tool calls is used up: {used} of {limit}."),)
    for budget, most in used_up(state.limits, state.run):
        spent = budget.used(state.run)
        return (Stop(budget.reason, f"The budget of {budget.label} is used up: {spent:g} of {most:g}."),)
    return ()


async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
    """Refuse a tool call beyond the limit; the run ends at the next gate, when its neighbours are done."""
    state, call_id = view.state, invocation.call.call_id
    limit = state.limits.max_tool_calls
    if limit is None or state.run.tool_calls + _ahead(state, call_id) < limit:
        return await inner(invocation)
    view.note(ROOM, REFUSED, {"runId": state.run_id, "callId": call_id})
    return ToolOutcome(f"Not run: this run may make {limit} tool calls and has made them.", status="rejected")


def _ahead(state: State, call_id: str) -> int:
    """How many calls of the same reply come before this one and may still start."""
    waiting = [open_call.call.call_id for open_call in state.calls.values() if not open_call.started]
    return waiting.index(call_id)


def _warn_of_unpriced(view: RunView) -> None:
    state = view.state
    if state.limits.max_cost_usd is None or not state.run.unpriced or _noted(state, UNPRICED):
        return
    view.note(ROOM, UNPRICED, {"runId": state.run_id})
    text = (
        "The price of this model is not known, so its calls count as free and the cost limit cannot hold. "
        "Configure the model's prices, or limit tokens."
    )
    view.show(Notice("warning", "The cost limit does not cover this model", text))


def _noted(state: State, kind: str) -> bool:
    notes = state.notes.get(ROOM, ())
    return any(note.kind == kind and note.data.get("runId") == state.run_id for note in notes)
