"""The last turn of a run is for its answer: what was found is worth nothing that nobody reads."""

from dataclasses import replace

from agls.engine.facts import Injected
from agls.engine.feature import CallTool, Invocation, RunView
from agls.engine.ports import CallModel, ModelRequest, Reply, new_id
from agls.engine.state import State
from agls.engine.vocabulary import Stop, StopReason, Text, ToolOutcome, UserMessage
from agls.features.budget.scopes import Scope

ROOM = "budget"
LAST = "lastTurn"
WORDS = (
    "This is the last turn of this run: its turns are used up, and no tool can be called any more. "
    "Answer now with what you have: what is done, what you found, and what is still to do."
)
NOT_RUN = "Not run: this is the last turn of the run. Say what you have."


class LastTurn:
    """Asks the model for its answer, without tools, in the last turn of a run that has worked until then.

    A run of one turn is asked as ever: it could not use the result of a tool anyway.
    """

    def __init__(self, enabled: bool, run: Scope) -> None:
        self._enabled, self._run = enabled, run

    def begins(self, view: RunView) -> tuple[Injected, ...]:
        """Return the message for the model when this turn is the last; nothing before, and only once."""
        state, most = view.state, view.state.limits.max_turns
        if not self._enabled or most is None or most < 2 or state.run.turns != most - 1 or self.is_on(state):
            return ()
        view.note(ROOM, LAST, {"runId": state.run_id, "maxTurns": most})
        return (Injected((UserMessage(new_id("item"), (Text(WORDS),), ROOM),)),)

    def is_on(self, state: State) -> bool:
        """Return whether the model knows that this turn is the last.

        It is not any more when the limit was raised since.
        """
        data = {"runId": state.run_id, "maxTurns": state.limits.max_turns}
        return any(note.kind == LAST and note.data == data for note in state.notes.get(ROOM, ()))

    async def around_model(self, request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        """Ask without tools."""
        return await inner(replace(request, tools=()) if self.is_on(view.state) else request)

    async def around_tool(self, invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Run no tool that the model calls all the same."""
        if self.is_on(view.state):
            return ToolOutcome(NOT_RUN, status="rejected", refused_by="limit")
        return await inner(invocation)

    def ended(self, stop: Stop, state: State) -> Stop:
        """Return why the run ended: at its limit, also when the answer came in time."""
        if stop.reason is StopReason.END_TURN and self.is_on(state):
            return next((limit for limit in self._run.stops(state)), stop)
        return stop
