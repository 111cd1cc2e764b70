"""State: the sum of the facts of one session, and the fold that adds them."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple, TypeVar, assert_never, cast

from agls.engine.context import Context, Measure, OpenCall, Replaced, closing_text, placed, reshaped
from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cleared,
    Compacted,
    Cut,
    Entry,
    Expanded,
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
from agls.engine.limits import NOTHING, Totals
from agls.engine.vocabulary import (
    AssistantMessage,
    JsonObject,
    Limits,
    Message,
    Question,
    Stop,
    StopReason,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from agls.frozen import frozen

Value = TypeVar("Value")
_NONE: Mapping[str, Any] = MappingProxyType({})
NO_HISTORY: JsonObject = {
    **dict.fromkeys(("transcript", "words", "late"), ()),
    **dict.fromkeys(("notes", "rewinds", "summaries", "keys"), _NONE),
    "context": Context(),
    "measure": Measure(),
}


@frozen
class Note:
    """One `Noted` fact of a room."""

    kind: str
    data: JsonObject


class State(NamedTuple):
    """A session at one point of its journal. Only `fold` makes a new one, for each fact: so a tuple.

    `transcript` only grows. `context` is what compaction may shorten, `measure` its size. `run` is what
    the running (or last) run used, `total` what the session used; their seconds are those before `since`,
    from when on time counts (0: it stands still). `rewinds` holds the messages that stood before each
    rewind, `summaries` what each summary replaced. `keys` remembers who asked for what, and whether it had
    to wait. `words` are the item ids of what the user said for the running (or last) run, `late` of what was
    said too late for the last one.
    """

    seq: int = 0
    cwd: str = ""
    title: str = ""
    parent: str = ""
    parent_item: str = ""
    depth: int = 0
    roots: tuple[str, ...] = ()
    options: Mapping[str, object] = _NONE
    created_at: float = 0.0
    updated_at: float = 0.0
    transcript: tuple[Message, ...] = ()
    context: Context = Context()
    measure: Measure = Measure()
    queue: tuple[Admitted, ...] = ()
    pending: tuple[UserMessage, ...] = ()
    calls: Mapping[str, OpenCall] = _NONE
    questions: Mapping[str, Question] = _NONE
    limits: Limits = Limits()
    admitted: Admitted | None = None
    running: bool = False
    run: Totals = Totals()
    total: Totals = Totals()
    since: float = 0.0
    used_by: Mapping[str, Totals] = _NONE
    notes: Mapping[str, tuple[Note, ...]] = _NONE
    rewinds: Mapping[str, tuple[Message, ...]] = _NONE
    summaries: Mapping[str, Replaced] = _NONE
    keys: Mapping[str, tuple[Admitted | Steered, bool]] = _NONE
    overflowed: bool = False
    stop: Stop | None = None
    words: tuple[str, ...] = ()
    late: tuple[str, ...] = ()

    @property
    def settings(self) -> Mapping[str, object]:
        """The options that hold for the running (or last) run: the session's, changed by its own.

        What is set for the session while the run is on is said later, and holds.
        """
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


Look = Callable[[Entry, Callable[[], State]], None]


def fold_all(entries: Iterable[Entry], look: Look | None = None, start: State | None = None) -> State:
    """Return the state after these entries, which follow `start` (the beginning of a session).

    `look` sees each, and may ask for the state after it.
    """
    making = SimpleNamespace(**(start or State())._asdict())  # a tuple for each would take half of the time
    members, so_far = vars(making), cast(State, making)

    def now() -> State:
        return State(**members)

    for entry in entries:
        members.update(_after(so_far, entry))
        if look:
            look(entry, now)
    return State(**members)


def fold(state: State, entry: Entry) -> State:
    """Return the state after one more entry."""
    return State._make(map(_after(state, entry).get, State._fields, state))  # half of what `_replace` takes


def fold_without_history(state: State, entry: Entry) -> State:
    """Return the state after one more entry, without the parts that grow with the session.

    For a follower of the session that needs only its present.
    """
    return State._make(map((_after(state, entry) | NO_HISTORY).get, State._fields, state))


def _after(state: State, entry: Entry) -> JsonObject:
    changes = _changes(state, entry.fact, entry.at)
    changes["seq"], changes["updated_at"] = entry.seq, entry.at
    if not state.created_at:
        changes["created_at"] = entry.at
    return changes


def _changes(state: State, fact: Fact, at: float) -> JsonObject:
    match fact:  # the most frequent come first
        case Replied() | TurnStarted() | Cut() | Overflowed() | Used():
            return _model_changes(state, fact, at)
        case ToolStarted() | ToolFinished():
            return _tool_changes(state, fact)
        case Admitted() | RunStarted() | RunEnded() | QueueChanged() | LimitsChanged():
            return _run_changes(state, fact, at)
        case (
            Steered()
            | TakenIn()
            | Injected()
            | Compacted()
            | Cleared()
            | Expanded()
            | Rewound()
            | PhaseStarted()
        ):
            return _context_changes(state, fact)
        case SessionChanged():
            return _session_changes(state, fact)
        case Asked() | Answered():
            return _questions(state, fact, at)
        case Noted(feature, kind, data):
            notes = (*state.notes.get(feature, ()), Note(kind, data))
            return {"notes": {**state.notes, feature: notes}}
        case Unknown():
            return {}
        case _:  # pragma: no cover - closed by the type checker
            assert_never(fact)


def _questions(state: State, fact: Asked | Answered, at: float) -> JsonObject:
    others = _without(state.questions, fact.request_id)
    if isinstance(fact, Asked):
        return {"questions": {**others, fact.request_id: fact.question}, **_clock(state, at), "since": 0.0}
    goes_on = state.running and not others and not state.since
    return {"questions": others, **({"since": at} if goes_on else {})}


def _clock(state: State, at: float) -> JsonObject:
    passed = seconds_since(state, at)
    return {"run": state.run.later(passed), "total": state.total.later(passed)}


def seconds_since(state: State, at: float) -> float:
    """Return the seconds up to now that the totals lack; a clock that was set back stands still."""
    return max(0.0, at - state.since) if state.since else 0.0


def _session_changes(state: State, fact: SessionChanged) -> JsonObject:
    return {
        "cwd": fact.cwd or state.cwd,
        "title": fact.title or state.title,
        "parent": fact.parent or state.parent,
        "parent_item": fact.parent_item if fact.parent else state.parent_item,
        "depth": fact.depth if fact.parent else state.depth,
        "roots": fact.roots or state.roots,
        "options": settled({**state.options, **fact.options}),
        "admitted": _overridden(state.admitted, fact.options) if state.running else state.admitted,
    }


def _overridden(admitted: Admitted | None, options: Mapping[str, object]) -> Admitted | None:
    """Return the running run without those of its own options that were set for the session meanwhile."""
    own = {name: value for name, value in admitted.options.items() if name not in options} if admitted else {}
    return replace(admitted, options=own) if admitted else None


def settled(options: Mapping[str, object]) -> dict[str, object]:
    """Return the options without those that were taken back."""
    return {name: value for name, value in options.items() if value is not None}


def _run_changes(
    state: State, fact: Admitted | QueueChanged | RunStarted | RunEnded | LimitsChanged, at: float
) -> JsonObject:
    match fact:
        case Admitted():
            key, waits = fact.client_key, state.running or bool(state.queue)
            keys = {"keys": {**state.keys, key: (fact, waits)}} if key else {}
            return {"queue": (*state.queue, fact), **keys}
        case RunStarted():
            return _started(state, fact, at)
        case RunEnded():
            return _ended(state, fact.run_id, fact.stop, at)
        case QueueChanged(run_ids):
            waiting = {admitted.run_id: admitted for admitted in state.queue}
            return {"queue": tuple(waiting[i] for i in run_ids if i in waiting)}
        case _:
            return {"limits": fact.limits}


def _started(state: State, fact: RunStarted, at: float) -> JsonObject:
    admitted, queue = _taken_out(state.queue, fact.run_id)
    admitted = admitted or Admitted(fact.run_id, "", ())  # only a newer version reads that fact
    if admitted.recovers:
        admitted = replace(admitted, options=inherited_options(state, admitted.options, admitted.recovers))
    message = UserMessage(admitted.item_id, admitted.content)
    taken = bool(admitted.content) and fact.took(admitted.item_id)
    words = state.words if admitted.recovers else state.late
    return {
        **(_added(state, message) if taken else {}),
        "queue": queue,
        "pending": (message, *state.pending) if admitted.content and not taken else state.pending,
        "admitted": admitted,
        "running": True,
        "limits": state.limits if fact.limits is None else fact.limits,
        "run": NOTHING,
        "since": at,
        "overflowed": False,
        "stop": None,
        "words": (*words, admitted.item_id) if admitted.content else words,
    }


def _taken_out(queue: tuple[Admitted, ...], run_id: str) -> tuple[Admitted | None, tuple[Admitted, ...]]:
    """Return a run that waits, and those that wait besides."""
    for place, admitted in enumerate(queue):
        if admitted.run_id == run_id:
            return admitted, (*queue[:place], *queue[place + 1 :])
    return None, queue


def _ended(state: State, run_id: str, stop: Stop, at: float) -> JsonObject:
    if not (state.running and state.admitted and state.admitted.run_id == run_id):  # it never began
        waited, queue = _taken_out(state.queue, run_id)
        steered = () if state.running or not waited else state.pending  # only the next run is
        late = (*state.late, *(message.item_id for message in steered))
        return {
            "queue": queue,
            **_added(state, *steered),
            "pending": state.pending[len(steered) :],
            "late": late,
        }
    closed = (
        ToolResult(left.call.call_id, left.call.name, closing_text(left, stop), "cancelled")
        for left in state.calls.values()
    )
    added = _added(state, *closed, *state.pending)  # steered too late: the next run begins with it
    until = state.updated_at if stop.reason is StopReason.INTERRUPTED else at  # then the end is recorded late
    added |= {"pending": (), "calls": {}, "questions": {}, "running": False, "stop": stop}
    added["late"] = tuple(message.item_id for message in state.pending if message.origin == "user")
    return {**added, **_clock(state, until), "since": 0.0}


def inherited_options(state: State, options: JsonObject, recovers: str) -> JsonObject:
    """Return the options of a run: its own.

    Of one that continues another (`recovers`) without own ones, the other's.
    """
    if state.admitted is None or state.admitted.run_id != recovers:
        return options
    return {**state.admitted.options, **options}


def _context_changes(
    state: State,
    fact: Steered | TakenIn | Injected | Compacted | Cleared | Expanded | Rewound | PhaseStarted,
) -> JsonObject:
    match fact:
        case Steered(item_id, _, content, key, origin):
            keys = {**state.keys, key: (fact, False)} if key else state.keys
            words = (*state.words, item_id) if origin == "user" else state.words
            pending = (*state.pending, UserMessage(item_id, content, origin))
            return {"pending": pending, "keys": keys, "words": words}
        case TakenIn(item_ids):
            rest = tuple(m for m in state.pending if m.item_id not in item_ids)
            return {**_added(state, *(m for m in state.pending if m.item_id in item_ids)), "pending": rest}
        case Injected(messages):
            return _added(state, *messages)
        case Compacted() | Cleared() | Expanded():
            kept = reshaped(state.context.messages, fact, state.summaries)
            replaced = Replaced(state.context.messages, len(kept))
            return {
                "context": state.context._replace(messages=kept),
                "measure": state.measure._replace(messages=len(kept), tokens=fact.tokens_after),
                "summaries": {
                    **state.summaries,
                    **({fact.item_id: replaced} if isinstance(fact, Compacted) else {}),
                },
                "overflowed": False,
            }
        case Rewound():
            return _rewound(state, fact)
        case _:
            phase = Context(fact.name, fact.system, fact.model, fact.tools, state.context.messages)
            return {"context": phase}


def _rewound(state: State, fact: Rewound) -> JsonObject:
    before = state.context.messages
    messages = state.rewinds.get(fact.undoes, before) if fact.undoes else before[: fact.keep]
    return {
        "context": state.context._replace(messages=messages),
        "measure": state.measure._replace(messages=0, tokens=0),
        "rewinds": {**state.rewinds, fact.checkpoint_id: before},
        "overflowed": False,
        "stop": state.stop if messages is before else None,  # there is nothing to go on with any more
    }


def _model_changes(
    state: State, fact: TurnStarted | Replied | Cut | Overflowed | Used, at: float
) -> JsonObject:
    match fact:
        case TurnStarted():
            passed = seconds_since(state, at)
            since = at if state.since else 0.0
            return {"run": state.run.turned(passed), "total": state.total.turned(passed), "since": since}
        case Replied(tool_calls=calls, usage=usage):
            opened = {**state.calls, **{call.call_id: OpenCall(call) for call in calls}}
            added = _added(state, fact.message) | _spent(state, usage, fact.cost, fact.model_calls)
            return {**added, "measure": _measured(state, usage), "calls": opened, "overflowed": False}
        case Cut(item_id, text, thinking, usage, cause, cost):
            spent = _spent(state, usage, cost)
            if cause == "failed" or not text:
                return spent
            return {**_added(state, AssistantMessage(item_id, text, thinking, cut=True)), **spent}
        case Overflowed():
            return {"overflowed": True}
        case _:
            by = {**state.used_by, fact.by: state.used_by.get(fact.by, Totals()).used(fact)}
            run = state.run.used(fact) if state.running else state.run  # what comes later is no part of it
            return {"run": run, "total": state.total.used(fact), "used_by": by}


def _measured(state: State, usage: Usage) -> Measure:
    """Return the size of the context after the reply; as it was when the provider did not count."""
    if usage.input_tokens is None:
        return state.measure._replace(at=state.updated_at)
    said = (usage.output_tokens or 0) - (usage.reasoning_tokens or 0)
    return Measure(len(state.context.messages) + 1, usage.input_tokens + max(said, 0), state.updated_at)


def _spent(state: State, usage: Usage, cost: float | None, calls: int = 1) -> JsonObject:
    if not calls:
        return {"run": state.run.unturned(), "total": state.total.unturned()}
    by = {**state.used_by, "loop": state.used_by.get("loop", Totals()).spent(usage, cost)}
    return {"run": state.run.spent(usage, cost), "total": state.total.spent(usage, cost), "used_by": by}


def _tool_changes(state: State, fact: ToolStarted | ToolFinished) -> JsonObject:
    if isinstance(fact, ToolStarted):
        started = OpenCall(ToolCall(fact.call_id, fact.name, fact.arguments), started=True)
        calls = {**state.calls, fact.call_id: started}
        return {"calls": calls, "run": state.run.called(), "total": state.total.called()}
    if fact.call_id not in state.calls:  # its reply is a fact that only a newer version reads
        return {}
    name = state.calls[fact.call_id].call.name
    done = fact.outcome
    result = ToolResult(fact.call_id, name, done.text, done.status, done.images)
    return {**_added(state, result), "calls": _without(state.calls, fact.call_id)}


def _added(state: State, *messages: Message) -> JsonObject:
    if not messages:
        return {}
    transcript, context = state.transcript, state.context.messages
    same = transcript is context  # as long as nothing was left out or taken back
    for message in messages:
        transcript = placed(transcript, message)
        context = transcript if same else placed(context, message)
    return {"transcript": transcript, "context": Context(*state.context[:-1], context)}


def _without(mapping: Mapping[str, Value], key: str) -> dict[str, Value]:
    return {k: v for k, v in mapping.items() if k != key}
