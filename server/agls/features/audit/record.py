"""The record of a run: a projection of the journal. Pure; the facts are the only truth."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from agls.engine.context import Context, OpenCall, closing_text
from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cleared,
    Compacted,
    Cut,
    Entry,
    Fact,
    Injected,
    LimitsChanged,
    Noted,
    Overflowed,
    PhaseStarted,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
    ToolFinished,
    ToolStarted,
    TurnStarted,
)
from agls.engine.history import last_words
from agls.engine.limits import Totals
from agls.engine.sessions import DIED
from agls.engine.state import State, fold
from agls.engine.vocabulary import CallStatus, Content, Effects, Limits, Question, Stop, ToolCall
from agls.room.allowed_calls import allowed_by

EVENTS = (
    Answered,
    Asked,
    Cleared,
    Compacted,
    Cut,
    Injected,
    LimitsChanged,
    Noted,
    Overflowed,
    PhaseStarted,
    Steered,
)


@dataclass(slots=True)
class CallRow:
    """A tool call: as the model asked for it, or as it really began; `status` is "" while it is open.

    `allowed_by` says what or who let it run, "" for one that only reads. `refused_by` is of its outcome.
    """

    call: ToolCall
    asked: float
    started: float | None = None
    ended: float | None = None
    status: CallStatus | str = ""
    text: str = ""
    effects: Effects = "none"
    uris: tuple[str, ...] = ()
    allowed_by: str = ""
    refused_by: str = ""


@dataclass(slots=True)
class ModelStep:
    """A reply of the model, and the calls it caused."""

    at: float
    model: str
    reply: Replied
    calls: list[CallRow] = field(default_factory=list[CallRow])


@dataclass(slots=True)
class RunRecord:
    """One run, as far as it got. `started` is `None` if it ended before it began, `stop` while it runs.

    Times are Unix seconds. `used` is what `State.run` says: what somebody spent after the end is in it. `end`
    is the number of the fact that closed it.
    """

    run_id: str
    admitted: float
    inputs: tuple[Content, ...] = ()
    options: Mapping[str, object] = field(default_factory=dict[str, object])
    recovers: str = ""
    parent: str = ""
    started: float | None = None
    limits: Limits = field(default_factory=Limits)
    model: str = ""
    steps: list[ModelStep] = field(default_factory=list[ModelStep])
    events: list[tuple[float, Fact]] = field(default_factory=list[tuple[float, Fact]])
    used: Totals = field(default_factory=Totals)
    ended: float | None = None
    last: float = 0.0
    stop: Stop | None = None
    end: int = 0
    _rows: dict[str, CallRow] = field(default_factory=dict[str, CallRow])
    _asked: dict[str, Question] = field(default_factory=dict[str, Question])

    @property
    def seconds(self) -> float:
        """How long it ran, up to its last fact; a clock that was set back counts as standing still."""
        return max(0.0, (self.ended or self.last) - (self.started or self.ended or self.last))

    @property
    def calls(self) -> Iterator[CallRow]:
        """The rows of its tool calls, in the order in which they were asked for."""
        return (row for step in self.steps for row in step.calls)

    @property
    def output(self) -> str:
        """What was said last."""
        return last_words([step.reply.message for step in self.steps])

    def take(self, entry: Entry) -> None:
        """One more fact of the time since it began."""
        if self.stop:
            return
        self.last = entry.at
        match entry.fact:
            case TurnStarted(model=model):
                self.model = model
            case Replied(tool_calls=calls, model=model):
                rows = {call.call_id: CallRow(call, entry.at) for call in calls}
                self._rows |= rows
                self.steps.append(ModelStep(entry.at, model or self.model, entry.fact, [*rows.values()]))
            case ToolStarted() | ToolFinished():
                self._take_call(entry.at, entry.fact)
            case fact if isinstance(fact, EVENTS):
                self.events.append((entry.at, fact))
                self._take_permission(fact)
            case _:
                pass

    def close(self, entry: Entry, stop: Stop) -> None:
        """The run is over. Only the first end counts."""
        if self.stop:
            return
        at = self.ended = entry.at
        self.stop, self.end = stop, entry.seq
        for row in self.calls:
            if not row.status:
                left = OpenCall(row.call, row.started is not None)
                row.status = "cancelled"
                row.text = closing_text(left, stop)
                row.ended = at
                row.effects = "none" if row.started is None else "unknown"

    def _take_call(self, at: float, fact: ToolStarted | ToolFinished) -> None:
        row = self._rows.get(fact.call_id)
        if row is None:  # its reply is a fact that only a newer version reads
            return
        if isinstance(fact, ToolStarted):
            row.call, row.started = ToolCall(fact.call_id, fact.name, fact.arguments), at
            return
        outcome = fact.outcome
        row.status, row.refused_by = outcome.status, outcome.refused_by
        row.text = outcome.text
        row.ended = at
        row.effects, row.uris = outcome.effects, tuple(change.uri for change in outcome.changes)

    def _take_permission(self, fact: Fact) -> None:
        """Take in who let a call run: a rule or the mode, or the user whom the gate had asked."""
        match fact:
            case Noted(data=data) if by := allowed_by(fact):
                self._allow(str(data["callId"]), by)
            case Asked(request_id, question) if question.kind == "permission":
                self._asked[request_id] = question
            case Answered(request_id, answer) if question := self._asked.pop(request_id, None):
                chosen = next((each for each in question.options if each.option_id == answer.option_id), None)
                if chosen and chosen.decision == "allow":
                    self._allow(question.call_id, f"{answer.by or 'the user'}: {chosen.label}")
            case _:
                pass

    def _allow(self, call_id: str, by: str) -> None:
        if row := self._rows.get(call_id):
            row.allowed_by = by


def records(entries: Iterable[Entry]) -> list[RunRecord]:
    """Return the records of all runs of a session, in the order in which they were asked for."""
    known: dict[str, RunRecord] = {}
    current = RunRecord("", 0.0)
    parent = ""
    options = dict[str, object]()
    state = State()
    for entry in entries:
        state = fold(state, entry)._replace(transcript=(), context=Context())  # only what it counts is used
        match entry.fact:
            case SessionChanged():
                parent, options = entry.fact.parent or parent, {**options, **entry.fact.options}
            case Admitted(run_id, content=content, options=own, recovers=recovers):
                known[run_id] = RunRecord(run_id, entry.at, content, {**options, **own}, recovers, parent)
            case RunStarted(run_id):
                current = known.setdefault(run_id, RunRecord(run_id, entry.at))
                current.started = entry.at
                current.last = entry.at
                current.limits = state.limits
                current.options = state.settings  # with those of the run that it goes on with
            case RunEnded(run_id, stop) if run_id in known:
                known[run_id].close(entry, stop)
            case _:
                current.take(entry)
        current.used = state.run
    return list(known.values())


def due(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Return the closed records that are not written down yet, when the last run that began has just ended.

    A run writes its own record, and those of the runs before it that had no process to do so: they were taken
    out of the queue, could not begin, or died. Every record is due once.
    """
    closed = sorted((record for record in records if record.stop), key=lambda record: record.end)
    last = max((place for place, record in enumerate(closed[:-1]) if _wrote(record)), default=-1)
    return closed[last + 1 :]


def _wrote(record: RunRecord) -> bool:
    """Return whether the run's own process recorded its end."""
    return record.started is not None and record.stop != DIED


def status_of(record: RunRecord) -> str:
    """`queued`, `running`, or why it ended."""
    if record.stop:
        return str(record.stop.reason)
    return "queued" if record.started is None else "running"
