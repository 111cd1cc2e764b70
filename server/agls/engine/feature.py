"""The whole extension theory: a feature is a record of tools, actions and six slots; features are a tuple.

The first feature is asked first at the gates and is outermost in the wrappers.
"""

import logging
from collections.abc import Awaitable, Callable, Container, Coroutine, Mapping, Sequence
from dataclasses import field, fields, replace
from functools import partial
from itertools import chain
from operator import attrgetter, is_not
from typing import Any, Literal, Protocol, Self, TypeVar

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
    ToolSpec,
    Workspace,
)
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Limits, Question, Stop, ToolCall, ToolOutcome
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

    async def pass_call(self, call: ToolCall, consent: str = "") -> ToolOutcome:
        """Pass a call of a room through the wrappers of all features, as one that the model asked for.

        **Returns** its outcome, a refusal as well. It is no part of the conversation: the room records it.
        `consent` names what the user consented to that asks for exactly this call, "" for nothing.
        """
        ...


@frozen
class Permit:
    """Why a call may run: a person was `asked` about exactly this call, or it is known to read only.

    `programs` are the programs of a command that may do more than read, each as its words in one text, when
    all of them are certain. A command that is `confined` may run in the sandbox only, whoever was asked: a
    rule says so.
    """

    asked: bool = False
    reads_only: bool = False
    confined: bool = False
    programs: tuple[str, ...] = ()


NO_PERMIT = Permit()


@frozen
class Advice:
    """What a wrapper wants of the permission gate: that the user is asked about the call, or is not.

    `by` says whose advice it is, `reason` why. It never changes what is forbidden.
    """

    by: str
    reason: str
    asks: bool


@frozen
class ConsentedCall:
    """A call that the user consented to: `by` names what asks for it, `call` is the call as it was then."""

    by: str
    call: ToolCall


@frozen
class PermissionAnswer:
    """What a wrapper answers in the user's place to the question about a call; `by` says whose word it is."""

    by: str
    reason: str
    allows: bool


BeforeQuestion = Callable[[Question], Awaitable[PermissionAnswer | None]]


@frozen
class Invocation:
    """A call on its way to its tool. Wrappers may pass on a changed one (`dataclasses.replace`).

    `preview` is its intended effect, from a wrapper that looked, `None` when none did. `consent` is the call
    that the user consented to, `None` for a call of the model; it says nothing of a changed one. `advice` is
    for the permission gate, from a wrapper outside of it; `permit` is what the gate says of why it may run.
    `before_question` **returns** an answer before the user is asked, from a wrapper that has one.
    """

    call: ToolCall
    tool: Tool
    context: ToolContext
    preview: Preview | None = None
    consent: ConsentedCall | None = None
    advice: Advice | None = None
    permit: Permit = NO_PERMIT
    before_question: BeforeQuestion | None = None

    @property
    def is_consented(self) -> bool:
        """**Returns** whether the user consented to this call, exactly as it is now."""
        return self.consent is not None and self.consent.call == self.call


CallTool = Callable[[Invocation], Awaitable[ToolOutcome]]
Attempt = Callable[[], Awaitable[Stop]]

AroundRun = Callable[[Attempt, RunView], Awaitable[Stop]]
BeforeTurn = Callable[[RunView], Awaitable[Sequence[Stop | GateFact]]]
AroundModel = Callable[[ModelRequest, RunView, CallModel], Awaitable[Reply]]
AroundTool = Callable[[Invocation, RunView, CallTool], Awaitable[ToolOutcome]]
BeforeStop = Callable[[Replied, RunView], Awaitable[Sequence[Injected | PhaseStarted]]]
OnFact = Callable[[Entry, State], None]
ShowTools = Callable[[Sequence[ToolSpec], State], Sequence[ToolSpec]]
LateTools = Callable[[], Sequence[Tool]]


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


def _show_all(tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
    return tools


def _no_more_tools() -> Sequence[Tool]:
    return ()


@frozen(kw_only=True)
class Feature:
    """One capability.

    `around_run` wraps the run and returns the `Stop` of the attempt; its work after the attempt is bounded
    and out of reach of a cancel. `before_turn` returns facts to record, or a `Stop`. `around_model` and
    `around_tool` may refuse, change or add. `before_stop` returns the facts that make the run go on, or none.
    `on_fact` only looks. A slot that raises ends the run as `internal_error`; an `on_fact` that raises is
    logged. `show_tools` is no slot: it returns which tools the model is shown, and how, from the state alone.
    What is not shown can be called all the same. `late_tools` is none either: it returns tools that the
    feature has besides, which may become more while the run goes on. `before_turn` and `around_model` are
    also passed to show a request that is not sent (`upcoming.py`): the world is not theirs to change.
    """

    name: str
    tools: tuple[Tool, ...] = ()
    actions: Sequence[Action] = ()
    around_run: AroundRun = _run_as_is
    before_turn: BeforeTurn = _pass_gate
    around_model: AroundModel = _ask_as_is
    around_tool: AroundTool = _call_as_is
    before_stop: BeforeStop = _let_it_stop
    on_fact: OnFact = _look_away
    show_tools: ShowTools = _show_all
    late_tools: LateTools = _no_more_tools


AS_IT_IS: Mapping[str, object] = {each.name: each.default for each in fields(Feature)}
COLLECTED: Mapping[str, str] = {  # the members of `RunSetup` with what all features have in a slot
    "gates": "before_turn",
    "last_gates": "before_stop",
    "around_run": "around_run",
    "around_model": "around_model",
    "around_tool": "around_tool",
    "_filters": "show_tools",
    "_growing": "late_tools",
}


def with_tools(feature: Feature, names: Container[str] | None) -> Feature:
    """Return the feature with those of its tools that have these names; `None` is all."""
    if names is None:
        return feature
    tools = tuple(tool for tool in feature.tools if tool.spec.name in names)
    if feature.late_tools is _no_more_tools:
        return replace(feature, tools=tools)

    def late_tools() -> Sequence[Tool]:
        return [tool for tool in feature.late_tools() if tool.spec.name in names]

    return replace(feature, tools=tools, late_tools=late_tools)


@frozen
class RunSetup:
    """The parts that one run works with.

    It is made anew for each run, from the configuration of that moment. `gates` and `last_gates` are what the
    features have to say before a turn and before the end, in their order. The wrappers are in it, too.
    """

    features: tuple[Feature, ...]
    models: ModelResolver
    workspace: Workspace
    limits: Limits = field(default_factory=Limits)
    gates: tuple[BeforeTurn, ...] = field(init=False)
    last_gates: tuple[BeforeStop, ...] = field(init=False)
    around_run: tuple[AroundRun, ...] = field(init=False)
    around_model: tuple[AroundModel, ...] = field(init=False)
    around_tool: tuple[AroundTool, ...] = field(init=False)
    _filters: tuple[ShowTools, ...] = field(init=False)
    _fixed: tuple[Tool, ...] = field(init=False)
    _growing: tuple[LateTools, ...] = field(init=False)
    _specs: tuple[ToolSpec, ...] = field(init=False)

    def __post_init__(self) -> None:
        """Collect the tools, and what the features have in each slot, where that does anything."""
        for name, slot in COLLECTED.items():
            object.__setattr__(self, name, _collected(self.features, slot))
        fixed = chain.from_iterable(map(attrgetter("tools"), self.features))
        object.__setattr__(self, "_fixed", tuple(fixed))
        object.__setattr__(self, "_specs", ())

    def __enter__(self) -> Self:
        """Take part in the run."""
        return self

    def __exit__(self, *error: object) -> None:
        """Forget the features at the end of their run, which they know: no circle of both remains."""
        for name in ("features", "_fixed", "_specs", *COLLECTED):
            object.__setattr__(self, name, ())

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of all features in their order, and behind them those that came since."""
        return self._fixed + tuple(chain.from_iterable(more() for more in self._growing))

    def offered(self, state: State) -> tuple[Tool, ...]:
        """Return the tools of the current phase."""
        allowed = state.context.tools
        if allowed is None:
            return self.tools
        return tuple(tool for tool in self.tools if tool.spec.name in allowed)

    def shown(self, state: State) -> tuple[ToolSpec, ...]:
        """Return the tools of the current phase as the model is shown them."""
        specs: Sequence[ToolSpec] = self._offered_specs(state)
        for show in self._filters:
            specs = show(specs, state)
        return tuple(specs)

    def _offered_specs(self, state: State) -> tuple[ToolSpec, ...]:
        if self._growing or state.context.tools is not None:
            return tuple([tool.spec for tool in self.offered(state)])
        if not self._specs:  # as in nearly all runs: they stay what they are
            object.__setattr__(self, "_specs", tuple([tool.spec for tool in self._fixed]))
        return self._specs


def _collected(features: Sequence[Feature], slot: str) -> tuple[Any, ...]:
    """Return what these features have in a slot, in their order, without what leaves everything as it is."""
    return tuple(filter(partial(is_not, AS_IT_IS[slot]), map(attrgetter(slot), features)))


def wrap_run(wrappers: Sequence[AroundRun], view: RunView, attempt: Attempt) -> Attempt:
    """Return `attempt` inside all of these, the first outermost."""
    for around_run in reversed(wrappers):
        attempt = partial(around_run, attempt, view)
    return attempt


def wrap_model(wrappers: Sequence[AroundModel], view: RunView, ask: CallModel) -> CallModel:
    """Return `ask` inside all of these, the first outermost."""
    for around_model in reversed(wrappers):
        ask = partial(_swap, around_model, view, ask)
    return ask


def wrap_tool(wrappers: Sequence[AroundTool], view: RunView, call: CallTool) -> CallTool:
    """Return `call` inside all of these, the first outermost."""
    for around_tool in reversed(wrappers):
        call = partial(_swap, around_tool, view, call)
    return call


def observer_of(features: Sequence[Feature]) -> Callable[[Entry | Transient, State], None]:
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
