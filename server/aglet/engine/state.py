"""State: what the facts of one session add up to, and the fold that adds them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple, TypeVar, assert_never

from aglet.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Compacted,
    Cut,
    Entry,
    Fact,
    Injected,
    LimitsChanged,
    Noted,
    Overflowed,
    PhaseStarted,
    QueueChanged,
    Replied,
    Rewound,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
    TakenIn,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    Unknown,
    Used,
)
from aglet.engine.vocabulary import (
    AssistantMessage,
    JsonObject,
    Limits,
    Message,
    Question,
    Stop,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)

Value = TypeVar("Value")
_NONE: Mapping[str, Any] = MappingProxyType({})


class Context(NamedTuple):
    """What the model still sees. `tools` is `None` for all of them, `model` "" for the session's."""

    phase: str = ""
    system: str = ""
    model: str = ""
    tools: tuple[str, ...] | None = None
    messages: tuple[Message, ...] = ()


@dataclass(frozen=True, slots=True)
class OpenCall:
    """A call without a result: requested, or started with the arguments that are really used."""

    call: ToolCall
    started: bool = False


class Totals(NamedTuple):
    """What was used. Tokens the provider did not report count as zero; `cost` is US dollars.

    `unpriced` counts model calls whose cost is unknown, so that a sum is never taken for whole.
    """

    turns: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0

    @property
    def total_tokens(self) -> int:
        """Input and output together; cached input and reasoning are inside them."""
        return self.input_tokens + self.output_tokens

    def spent(self, usage: Usage, cost: float | None) -> "Totals":
        """These totals and one more model call."""
        return self._replace(
            model_calls=self.model_calls + 1,
            input_tokens=self.input_tokens + (usage.input_tokens or 0),
            output_tokens=self.output_tokens + (usage.output_tokens or 0),
            reasoning_tokens=self.reasoning_tokens + (usage.reasoning_tokens or 0),
            cache_read_tokens=self.cache_read_tokens + (usage.cache_read_tokens or 0),
            cache_write_tokens=self.cache_write_tokens + (usage.cache_write_tokens or 0),
            cost=self.cost + (cost or 0.0),
            unpriced=self.unpriced + (cost is None),
        )


@dataclass(frozen=True, slots=True)
class Note:
    """One `Noted` fact of a room."""

    kind: str
    data: JsonObject


class State(NamedTuple):
    """A session at one point of its journal. Only `fold` makes a new one, for each fact: so a tuple.

    `transcript` only grows. `context` is what compaction may shorten. `run` is what the running
    (or last) run used, `total` what the session used. `rewinds` holds the messages that stood before
    each rewind. `keys` remembers who asked for what.
    """

    seq: int = 0
    cwd: str = ""
    title: str = ""
    parent: str = ""
    roots: tuple[str, ...] = ()
    options: Mapping[str, object] = _NONE
    created_at: float = 0.0
    updated_at: float = 0.0
    transcript: tuple[Message, ...] = ()
    context: Context = Context()
    queue: tuple[Admitted, ...] = ()
    pending: tuple[UserMessage, ...] = ()
    calls: Mapping[str, OpenCall] = _NONE
    questions: Mapping[str, Question] = _NONE
    limits: Limits = Limits()
    admitted: Admitted | None = None
    running: bool = False
    run: Totals = Totals()
    total: Totals = Totals()
    used_by: Mapping[str, Totals] = _NONE
    notes: Mapping[str, tuple[Note, ...]] = _NONE
    rewinds: Mapping[str, tuple[Message, ...]] = _NONE
    keys: Mapping[str, Admitted | Steered] = _NONE
    overflowed: bool = False
    stop: Stop | None = None

    @property
    def settings(self) -> Mapping[str, object]:
        """The options that hold for the running (or last) run: the session's, changed by its own."""
        return {**self.options, **(self.admitted.options if self.admitted else {})}

    @property
    def run_id(self) -> str:
        """The run that is running or ran last, "" before the first."""
        return self.admitted.run_id if self.admitted else ""

    @property
    def status(self) -> str:
        """`idle`, `running`, or `waiting` for an answer of the human."""
        if not self.running:
            return "idle"
        return "waiting" if self.questions else "running"


def fold_all(entries: Iterable[Entry], state: State | None = None) -> State:
    """The state after these entries."""
    result = state or State()
    for entry in entries:
        result = fold(result, entry)
    return result


def fold(state: State, entry: Entry) -> State:
    """The state after one more entry."""
    after = _fold(state, entry.fact)
    created = state.created_at or entry.at
    return after._replace(seq=entry.seq, created_at=created, updated_at=entry.at)


def _fold(state: State, fact: Fact) -> State:
    match fact:
        case SessionChanged():
            return _changed(state, fact)
        case Admitted() | QueueChanged() | RunStarted() | RunEnded() | LimitsChanged():
            return _fold_run(state, fact)
        case Steered() | TakenIn() | Injected() | Compacted() | Rewound() | PhaseStarted():
            return _fold_context(state, fact)
        case TurnStarted() | Replied() | Cut() | Overflowed() | Used():
            return _fold_model(state, fact)
        case ToolStarted() | ToolFinished():
            return _fold_tool(state, fact)
        case Asked() | Answered():
            return _fold_question(state, fact)
        case Noted(feature, kind, data):
            notes = (*state.notes.get(feature, ()), Note(kind, data))
            return state._replace(notes={**state.notes, feature: notes})
        case Unknown():
            return state
        case _:  # pragma: no cover - closed by the type checker
            assert_never(fact)


def _changed(state: State, fact: SessionChanged) -> State:
    return state._replace(
        cwd=fact.cwd or state.cwd,
        title=fact.title or state.title,
        parent=fact.parent or state.parent,
        roots=fact.roots or state.roots,
        options=settled({**state.options, **fact.options}),
    )


def settled(options: Mapping[str, object]) -> dict[str, object]:
    """The options without those that were taken back."""
    return {name: value for name, value in options.items() if value is not None}


def _fold_question(state: State, fact: Asked | Answered) -> State:
    questions = _without(state.questions, fact.request_id)
    if isinstance(fact, Asked):
        questions[fact.request_id] = fact.question
    return state._replace(questions=questions)


def _fold_run(state: State, fact: Admitted | QueueChanged | RunStarted | RunEnded | LimitsChanged) -> State:
    match fact:
        case Admitted(client_key=key):
            keys = {**state.keys, key: fact} if key else state.keys
            return state._replace(queue=(*state.queue, fact), keys=keys)
        case QueueChanged(run_ids):
            waiting = {admitted.run_id: admitted for admitted in state.queue}
            return state._replace(queue=tuple(waiting[i] for i in run_ids if i in waiting))
        case RunStarted(run_id, limits):
            return _started(state, run_id, limits)
        case RunEnded(run_id, stop):
            return _ended(state, run_id, stop)
        case _:
            return state._replace(limits=fact.limits)


def _started(state: State, run_id: str, limits: Limits) -> State:
    unknown = Admitted(run_id, "", ())  # its admission is a fact that only a newer version reads
    admitted = next((a for a in state.queue if a.run_id == run_id), unknown)
    message = UserMessage(admitted.item_id, admitted.content)
    return state._replace(
        queue=tuple(a for a in state.queue if a.run_id != run_id),
        pending=(message, *state.pending) if admitted.content else state.pending,
        admitted=admitted,
        running=True,
        limits=limits,
        run=Totals(),
        overflowed=False,
        stop=None,
    )


def _ended(state: State, run_id: str, stop: Stop) -> State:
    if run_id != state.run_id or not state.running:  # it was cancelled while it still waited
        return state._replace(queue=tuple(a for a in state.queue if a.run_id != run_id))
    for open_call in state.calls.values():
        text = closing_text(open_call, stop)
        state = _add(state, ToolResult(open_call.call.call_id, open_call.call.name, text, "cancelled"))
    state = _add(state, *state.pending)  # steered too late for this run; the next one begins with it
    return state._replace(pending=(), calls={}, questions={}, running=False, stop=stop)


def closing_text(open_call: OpenCall, stop: Stop) -> str:
    """What the model reads of a call that was still open when its run ended."""
    if open_call.started:
        return (
            "[The outcome of this call is unknown: it was running when the run ended "
            f"({stop.reason}). It was not run again. Check what it did before you repeat it.]"
        )
    return f"[This call was not run: the run ended first ({stop.reason}).]"


def _fold_context(
    state: State, fact: Steered | TakenIn | Injected | Compacted | Rewound | PhaseStarted
) -> State:
    match fact:
        case Steered(item_id, _, content, key, origin):
            keys = {**state.keys, key: fact} if key else state.keys
            message = UserMessage(item_id, content, origin)
            return state._replace(pending=(*state.pending, message), keys=keys)
        case TakenIn(item_ids):
            rest = tuple(m for m in state.pending if m.item_id not in item_ids)
            taken = (m for m in state.pending if m.item_id in item_ids)
            return _add(state._replace(pending=rest), *taken)
        case Injected(messages):
            return _add(state, *messages)
        case Compacted(item_id, summary, keep_from):
            head = UserMessage(item_id, (Text(summary),), origin="compaction")
            kept = (head, *state.context.messages[keep_from:])
            return state._replace(context=state.context._replace(messages=kept), overflowed=False)
        case Rewound():
            return _rewound(state, fact)
        case _:
            phase = state.context._replace(phase=fact.name, system=fact.system, model=fact.model)
            return state._replace(context=phase._replace(tools=fact.tools))


def _rewound(state: State, fact: Rewound) -> State:
    before = state.context.messages
    messages = state.rewinds.get(fact.undoes, before) if fact.undoes else before[: fact.keep]
    return state._replace(
        context=state.context._replace(messages=messages),
        rewinds={**state.rewinds, fact.checkpoint_id: before},
        overflowed=False,
        stop=state.stop if messages is before else None,  # there is nothing to go on with any more
    )


def _fold_model(state: State, fact: TurnStarted | Replied | Cut | Overflowed | Used) -> State:
    match fact:
        case TurnStarted():
            turns, total = state.run.turns + 1, state.total.turns + 1
            return state._replace(
                run=state.run._replace(turns=turns), total=state.total._replace(turns=total)
            )
        case Replied(item_id, text, thinking, calls, opaque=opaque):
            message = AssistantMessage(item_id, text, thinking, calls, opaque)
            opened = {call.call_id: OpenCall(call) for call in calls}
            state = state._replace(calls={**state.calls, **opened}, overflowed=False)
            return _spend(_add(state, message), "loop", fact.usage, fact.cost)
        case Cut(item_id, text, thinking, usage, cause):
            state = _spend(state, "loop", usage, None)
            if cause == "failed" or not text:
                return state
            return _add(state, AssistantMessage(item_id, text, thinking, cut=True))
        case Overflowed():
            return state._replace(overflowed=True)
        case _:
            return _spend(state, fact.by, fact.usage, fact.cost)


def _spend(state: State, by: str, usage: Usage, cost: float | None) -> State:
    mine = state.used_by.get(by, Totals()).spent(usage, cost)
    return state._replace(
        run=state.run.spent(usage, cost),
        total=state.total.spent(usage, cost),
        used_by={**state.used_by, by: mine},
    )


def _fold_tool(state: State, fact: ToolStarted | ToolFinished) -> State:
    if isinstance(fact, ToolStarted):
        call = ToolCall(fact.call_id, fact.name, fact.arguments)
        run = state.run._replace(tool_calls=state.run.tool_calls + 1)
        total = state.total._replace(tool_calls=state.total.tool_calls + 1)
        calls = {**state.calls, fact.call_id: OpenCall(call, started=True)}
        return state._replace(calls=calls, run=run, total=total)
    if fact.call_id not in state.calls:  # its reply is a fact that only a newer version reads
        return state
    name = state.calls[fact.call_id].call.name
    state = state._replace(calls=_without(state.calls, fact.call_id))
    return _add(state, ToolResult(fact.call_id, name, fact.outcome.text, fact.outcome.status))


def _add(state: State, *messages: Message) -> State:
    transcript, context = state.transcript, state.context.messages
    for message in messages:
        transcript, context = placed(transcript, message), placed(context, message)
    return state._replace(transcript=transcript, context=state.context._replace(messages=context))


def placed(messages: tuple[Message, ...], message: Message) -> tuple[Message, ...]:
    """`messages` with one more; results finish in any order and stand in the order of their calls."""
    if not isinstance(message, ToolResult):
        return (*messages, message)
    at = len(messages)
    while at and isinstance(messages[at - 1], ToolResult):
        at -= 1
    asked = messages[at - 1] if at else None
    calls = asked.tool_calls if isinstance(asked, AssistantMessage) else ()
    order = {call.call_id: index for index, call in enumerate(calls)}
    results = [m for m in (*messages[at:], message) if isinstance(m, ToolResult)]
    results.sort(key=lambda result: order.get(result.call_id, len(order)))
    return (*messages[:at], *results)


def _without(mapping: Mapping[str, Value], key: str) -> dict[str, Value]:
    return {k: v for k, v in mapping.items() if k != key}
