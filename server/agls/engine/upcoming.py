"""The next request of a session as its features would make it, computed without recording anything."""

from collections.abc import Coroutine
from typing import Any, Literal

from agls.engine.facts import Entry, Fact, Noted, RoomFact, Transient
from agls.engine.feature import RunSetup, wrap_model
from agls.engine.ports import ModelRequest, Reply
from agls.engine.replies import request_of
from agls.engine.state import State, fold
from agls.engine.vocabulary import JsonObject, Stop, ToolCall, ToolOutcome


async def upcoming_request(state: State, run_setup: RunSetup, session_id: str) -> ModelRequest:
    """Return the request that a prompt would cause now, without the prompt.

    For a model that was asked nothing yet, the features add their messages at their gates first.
    """
    view = _Preview(state)
    if not (state.context.messages and state.total.turns):
        await _pass_gates(run_setup, view)
    try:
        await wrap_model(run_setup.around_model, view, _capture)(
            request_of(view.state, run_setup, session_id)
        )
    except _Captured as captured:
        return captured.request
    return request_of(view.state, run_setup, session_id)  # a feature answers in the model's place


async def _pass_gates(run_setup: RunSetup, view: "_Preview") -> None:
    for pass_gate in run_setup.gates:
        for verdict in await pass_gate(view):
            if isinstance(verdict, Stop):
                return
            view.take(verdict)


class _Captured(Exception):
    """Carries the request out of the features' wrappers: no model is asked."""

    def __init__(self, request: ModelRequest) -> None:
        super().__init__("no model is asked")
        self.request = request


async def _capture(request: ModelRequest) -> Reply:
    raise _Captured(request)


class _Preview:
    """Implements `RunView` on a state of its own: facts change only that state, and no observer sees them."""

    def __init__(self, state: State) -> None:
        self.state = state

    def take(self, fact: Fact) -> None:
        """Fold a fact into the state."""
        self.state = fold(self.state, Entry(self.state.seq + 1, 0.0, fact))

    def note(self, feature: str, kind: str, data: JsonObject) -> None:
        """Fold the note."""
        self.take(Noted(feature, kind, data))

    def record(self, fact: RoomFact) -> None:
        """Fold the fact."""
        self.take(fact)

    def show(self, event: Transient) -> None:
        """Ignore the event."""

    def stop(self, stop: Stop) -> None:
        """Stop nothing."""

    def spawn(self, work: Coroutine[Any, Any, None], scope: Literal["run", "session"]) -> None:
        """Start nothing."""
        work.close()

    async def pass_call(self, call: ToolCall, consent: str = "") -> ToolOutcome:
        """Call nothing."""
        return ToolOutcome("", status="cancelled")
