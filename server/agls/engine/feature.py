"""The whole extension theory: a feature is a record of tools, actions and six slots; features are a tuple.

The first feature is asked first at the gates and is outermost in the wrappers.
"""

import logging
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import field, replace
from functools import partial
from typing import Any, Literal, Protocol, TypeVar

from agls.engine.actions import Action
from agls.engine.facts import Entry, GateFact, Injected, PhaseStarted, Replied, RoomFact, Transient
from agls.engine.ports import (
    CallModel,
    ModelRequest,
    ModelResolver,
    Preview,
    Reply,
    Tool,
    ToolContext,
    Workspace,
)
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Limits, Stop, ToolCall, ToolOutcome
from agls.frozen import frozen

_log = logging.getLogger(__name__)
Subject = TypeVar("Subject")
Inner = TypeVar("Inner")
Result = TypeVar("Result")


class RunView(Protocol):
    """The window of a feature on a running run: what it may see and do."""

    @property
    def state(self) -> State: ...

    def note(self, feature: str, kind: str, data: JsonObject) -> None:
        """Record a room's own fact; it is in `state.notes` from now on, also after a resume."""
        ...

    def record(self, fact: RoomFact) -> None:
        """Record the room's spending, a message it has for the model, or other limits."""
        ...

    def show(self, event: Transient) -> None:
        """Show something that may be lost."""
        ...

    def stop(self, stop: Stop) -> None:
        """End the run with this reason, from anywhere. The first reason given stands."""
        ...

    def spawn(self, work: Coroutine[Any, Any, None], scope: Literal["run", "session"]) -> None:
        """Start background work that ends, at the latest, with the run or with the session."""
        ...


@frozen
class Invocation:
    """A call on its way to its tool. Wrappers may pass on a changed one (`dataclasses.replace`).

    `preview` is its intended effect, from a wrapper that looked, `None` when none did.
    """

    call: ToolCall
    tool: Tool
    context: ToolContext
    preview: Preview | None = None


CallTool = Callable[[Invocation], Awaitable[ToolOutcome]]
Attempt = Callable[[], Awaitable[Stop]]

AroundRun = Callable[[Attempt, RunView], Awaitable[Stop]]
BeforeTurn = Callable[[RunView], Awaitable[Sequence[Stop | GateFact]]]
AroundModel = Callable[[ModelRequest, RunView, CallModel], Awaitable[Reply]]
AroundTool = Callable[[Invocation, RunView, CallTool], Awaitable[ToolOutcome]]
BeforeStop = Callable[[Replied, RunView], Awaitable[Sequence[Injected | PhaseStarted]]]
OnFact = Callable[[Entry, State], None]


async def _run_as_is(attempt: Attempt, view: RunView) -> Stop:
    return await attempt()


async def _pass_gate(view: RunView) -> Sequence[Stop | GateFact]:
    return ()


async def _ask_as_is(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
    return await inner(request)


async def _call_as_is(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
    return await inner(invocation)


async def _let_it_stop(reply: Replied, view: RunView) -> Sequence[Injected | PhaseStarted]:
    return ()


def _look_away(entry: Entry, state: State) -> None:
    return None


@frozen(kw_only=True)
class Feature:
    """One capability.

    `around_run` wraps the run and returns the `Stop` of the attempt; its work after the attempt is bounded
    and out of reach of a cancel. `before_turn` returns facts to record, or a `Stop`. `around_model` and
    `around_tool` may refuse, change or add. `before_stop` returns the facts that make the run go on, or none.
    `on_fact` only looks. A slot that raises ends the run as `internal_error`; an `on_fact` that raises is
    logged.
    """

    name: str
    tools: tuple[Tool, ...] = ()
    actions: tuple[Action, ...] = ()
    around_run: AroundRun = _run_as_is
    before_turn: BeforeTurn = _pass_gate
    around_model: AroundModel = _ask_as_is
    around_tool: AroundTool = _call_as_is
    before_stop: BeforeStop = _let_it_stop
    on_fact: OnFact = _look_away


def with_tools(feature: Feature, names: Sequence[str] | None) -> Feature:
    """Return the feature with those of its tools that have these names; `None` is all."""
    if names is None:
        return feature
    return replace(feature, tools=tuple(tool for tool in feature.tools if tool.spec.name in names))


@frozen
class RunSetup:
    """The parts that one run works with.

    It is made anew for each run, from the configuration of that moment.
    """

    features: tuple[Feature, ...]
    models: ModelResolver
    workspace: Workspace
    limits: Limits = field(default_factory=Limits)

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of all features, in their order."""
        return tuple(tool for feature in self.features for tool in feature.tools)

    def offered(self, state: State) -> tuple[Tool, ...]:
        """Return the tools of the current phase."""
        allowed = state.context.tools
        return tuple(tool for tool in self.tools if allowed is None or tool.spec.name in allowed)


def wrap_run(features: Sequence[Feature], view: RunView, attempt: Attempt) -> Attempt:
    """Return `attempt` inside every feature's `around_run`, the first feature outermost."""
    for feature in reversed(features):
        if feature.around_run is not _run_as_is:
            attempt = partial(feature.around_run, attempt, view)
    return attempt


def wrap_model(features: Sequence[Feature], view: RunView, ask: CallModel) -> CallModel:
    """Return `ask` inside every feature's `around_model`, the first feature outermost."""
    for feature in reversed(features):
        if feature.around_model is not _ask_as_is:
            ask = partial(_swap, feature.around_model, view, ask)
    return ask


def wrap_tool(features: Sequence[Feature], view: RunView, call: CallTool) -> CallTool:
    """Return `call` inside every feature's `around_tool`, the first feature outermost."""
    for feature in reversed(features):
        if feature.around_tool is not _call_as_is:
            call = partial(_swap, feature.around_tool, view, call)
    return call


def tell(features: Sequence[Feature]) -> Callable[[Entry | Transient, State], None]:
    """Return an observer that passes every event to every feature's `on_fact`.

    A feature that raises is logged and keeps none back.
    """

    looking = [feature for feature in features if feature.on_fact is not _look_away]

    def observe(event: Entry | Transient, state: State) -> None:
        if not isinstance(event, Entry):
            return
        for feature in looking:
            try:
                feature.on_fact(event, state)
            except Exception:  # noqa: BLE001 - an observer can never change a fact
                _log.exception("on_fact of %s failed", feature.name)

    return observe


def _swap(
    slot: Callable[[Subject, RunView, Inner], Result], view: RunView, inner: Inner, subject: Subject
) -> Result:
    return slot(subject, view, inner)
