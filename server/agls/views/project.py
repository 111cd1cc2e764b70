"""The events of a session: what each of its facts, and what is only shown, means on the wire."""

from collections.abc import Iterable, Mapping
from copy import deepcopy
from typing import assert_never

from agls.engine.context import closing_text
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
    Transient,
    TurnStarted,
    Unknown,
    Used,
)
from agls.engine.note_items import NoteTable
from agls.engine.state import State, fold_without_history
from agls.engine.vocabulary import Answer, JsonObject, Stop, ToolCall, ToolOutcome, UserMessage
from agls.names import camel
from agls.terminal_codes import without_marks
from agls.views import values
from agls.views.events import EventWriter
from agls.views.helpers import RunningHelpers
from agls.views.items import OpenItems, Texts
from agls.views.notes import NOT_SHOWN, recorded, write_note_item
from agls.views.run_queue import RunQueue
from agls.views.run_totals import RunTotals
from agls.views.tasks import RunningTasks
from agls.views.transient import write_transient
from agls.views.wire_json import capped, compact, filled
from agls_protocol.events import (
    ContextUsageData,
    EventData,
    RunStartedData,
    TurnEndedData,
)

WITHDRAWN = Answer("cancelled")


class Projection:
    """Makes the events of one session, from the fact after `state` on. It touches nothing.

    `notes` says what the notes of rooms show, `totals` what the run that is on used up to `state`.

    What a fact means follows from the state before it and the state after it. Besides, only what no state
    has is kept here: the text of open items, the turn, the totals of the run, and what was sent last of
    that which is sent when it changes. Every fact has an event with its `seq`: a hole is always an error.
    """

    def __init__(
        self,
        notes: NoteTable,
        session_id: str,
        epoch: str,
        state: State | None = None,
        out: EventWriter | None = None,
        totals: RunTotals | None = None,
    ) -> None:
        self._state = state = state or State()
        self._out = out or EventWriter(session_id, epoch, state.seq)
        self._items = OpenItems(self._out)
        self._tasks = RunningTasks(self._out, self._items, state)
        self._note_rows = notes
        self._queue = RunQueue(state)
        self._totals = totals or RunTotals()
        self._window: int | None = None  # tokens that the model of the turn holds
        self._turn_end: TurnEndedData = {}
        self._sent = ("idle", len(self._tasks))  # the last `sessionState`
        self._out.identify(state)
        if state.running:
            self._out.run_id = state.run_id
            self._sent = (self._status(), len(self._tasks))
        for opened in state.calls.values():
            status = "running" if opened.started else "pending"
            self._items.adopt(values.tool_call(opened.call, status), "output")
        self._helpers = RunningHelpers(self._out, self._items, notes, state)

    @property
    def status(self) -> str:
        """The session's state as it was sent last: idle, running or requiresAction."""
        return self._sent[0]

    def open_items(self) -> list[JsonObject]:
        """Return the unfinished items, with what streamed into them so far."""
        return self._items.folded()

    def open_requests(self) -> list[JsonObject]:
        """Return the questions nobody has answered yet."""
        questions = self._state.questions
        return [{**values.question(request_id, asked)} for request_id, asked in questions.items()]

    def events(self, entry: Entry, after: State | None = None) -> list[JsonObject]:
        """Return the events of one fact, all with its `seq`, in order.

        `after` is the state after the fact, where it is known already.
        """
        self._out.begin(entry)
        before = self._state
        self._state = after or fold_without_history(before, entry)
        self._totals.take(entry.fact, self._note_rows)
        self._fact(entry.fact, before, self._state)
        if not self._out.has_fact():
            self._out.write("recorded", recorded(entry.fact))
        return self._out.take()

    def transient(self, event: Transient, at: float) -> list[JsonObject]:
        """Return the events of what is only shown, at this time (Unix seconds)."""
        self._out.begin_transient(at)
        write_transient(event, self._items, self._out, running=self._state.running)
        return self._out.take()

    def event(self, type: str, data: EventData, at: float) -> list[JsonObject]:
        """Return an event that comes from no fact, at this time (Unix seconds)."""
        self._out.begin_transient(at)
        self._out.write(type, data)
        return self._out.take()

    def caught_up(self, behind: Mapping[str, int], at: float) -> list[JsonObject]:
        """Return a `gap` and these items as they stand: their deltas were left out from a fact on."""
        self._out.begin_transient(at)
        self._items.catch_up(behind)
        return self._out.take()

    def copy_to(self, out: EventWriter) -> "Projection":
        """Return a projection that stands where this one stands, and writes to `out`."""
        out.stand_at(self._out)
        shared = {id(self._state): self._state, id(self._note_rows): self._note_rows}
        return deepcopy(self, {**shared, id(self._out): out})

    # --- facts ---

    def _fact(self, fact: Fact, before: State, after: State) -> None:
        match fact:
            case Replied() | TurnStarted() | Cut() | Overflowed() | Used():
                self._model_fact(fact, after)
            case ToolStarted() | ToolFinished():
                self._tool_fact(fact, before, after)
            case Admitted() | RunStarted() | RunEnded() | QueueChanged():
                self._run_fact(fact, before, after)
            case Steered() | TakenIn() | Injected() | Compacted() | Cleared() | Expanded() | Rewound():
                self._context_fact(fact, before, after)
            case SessionChanged() | Asked() | Answered() | Noted():
                self._session_fact(fact, before, after)
            case PhaseStarted() | LimitsChanged() | Unknown():
                pass
            case _:  # pragma: no cover - closed by the type checker
                assert_never(fact)

    def _session_fact(
        self, fact: SessionChanged | Asked | Answered | Noted, before: State, after: State
    ) -> None:
        match fact:
            case SessionChanged():
                self._session_changed(fact, after)
            case Asked(request_id, question):
                self._out.write("requestOpened", values.question(request_id, question), question.call_id)
                self._send_status()
            case Answered(request_id, answer):
                self._answered(request_id, answer, before)
                self._send_status()
            case Noted(room, kind, data):
                if row := self._note_rows.rows.get((room, kind)):
                    for item in row(data):
                        write_note_item(item, self._out, self._items, self._helpers, after)
                if self._tasks.take(fact):
                    self._send_status()

    def _session_changed(self, fact: SessionChanged, after: State) -> None:
        self._out.identify(after)
        if fact.cwd or fact.title or fact.parent or fact.roots:
            self._out.write("sessionInfo", values.session_info(after))
        if fact.options:
            self._out.write("options", {"options": dict(after.options)})

    def _answered(self, request_id: str, answer: Answer, before: State) -> None:
        if question := before.questions.get(request_id):
            self._out.write("requestResolved", values.resolution(request_id, answer), question.call_id)

    # --- runs ---

    def _run_fact(
        self, fact: Admitted | QueueChanged | RunStarted | RunEnded, before: State, after: State
    ) -> None:
        match fact:
            case Admitted(run_id):
                queued = self._queue.admit(run_id, before, after)
                if self._out.needs("runAdmitted"):
                    self._out.write_for(run_id, "runAdmitted", values.admission(fact, queued=queued))
            case RunStarted():
                self._run_started(fact, before, after)
            case RunEnded(run_id, stop):
                self._run_ended(run_id, stop, before, after)
            case QueueChanged():
                pass
        if (queue := self._queue.news(after)) is not None:
            self._out.write_for("", "queueChanged", {"queue": queue})

    def _run_started(self, fact: RunStarted, before: State, after: State) -> None:
        self._queue.starting = ""
        self._totals = RunTotals()
        self._out.run_id = fact.run_id
        self._out.write("runStarted", compact(RunStartedData, {"limits": values.limits(after.limits)}))
        self._send_status()
        prompt = after.admitted
        asked = (UserMessage(prompt.item_id, prompt.content),) if prompt and prompt.content else ()
        taken = [prompt.item_id] if prompt and fact.took(prompt.item_id) else []
        self._write_messages((*asked, *before.pending), taken)

    def _run_ended(self, run_id: str, stop: Stop, before: State, after: State) -> None:
        pending = [message.item_id for message in before.pending]
        current = before.running and run_id == before.run_id
        if current:
            self._close_run(stop, before)
            self._write_messages(before.pending, pending)  # the next run begins with them
            self._out.write("runEnded", self._totals.end(stop))
            self._out.run_id = ""
        else:
            if not before.running and any(waiting.run_id == run_id for waiting in before.queue):
                self._write_messages(before.pending, pending)
            self._out.write_for(run_id, "runEnded", RunTotals().end(stop))
        if current or run_id == self._queue.starting:
            self._queue.end(stop, after)
            self._send_status()

    def _close_run(self, stop: Stop, before: State) -> None:
        """Complete everything that is open in the run, as folding its end does."""
        self._items.cancel_replies()
        for call_id, opened in before.calls.items():
            printed, omitted = self._items.printed(call_id)
            text = closing_text(opened, stop) + (f"\n{printed}" if printed else "")
            effects = "unknown" if opened.started else "none"
            self._helpers.close(call_id, stop.detail)
            self._end_call(call_id, ToolOutcome("", "cancelled", effects), text, omitted)
        for request_id in before.questions:
            self._answered(request_id, WITHDRAWN, before)
        self._end_turn({})

    def _send_status(self) -> None:
        """Send the state of the session when it is another than what was sent last."""
        status, tasks = self._status(), len(self._tasks)
        if (status, tasks) != self._sent:
            self._sent = (status, tasks)
            queued = len(self._state.queue)
            self._out.write_transient(
                "sessionState", {"state": status, "queued": queued, "backgroundTasks": tasks}
            )

    def _status(self) -> str:
        if self._state.questions:
            return "requiresAction"
        if self._state.running:
            return "running"
        return self._sent[0] if self._queue.starting else "idle"  # between two runs it does not rest

    # --- the conversation ---

    def _context_fact(
        self,
        fact: Steered | TakenIn | Injected | Compacted | Cleared | Expanded | Rewound,
        before: State,
        after: State,
    ) -> None:
        match fact:
            case Steered():
                pass  # it is shown when the model's next request takes it in
            case TakenIn(item_ids):
                self._write_messages(before.pending, item_ids)
            case Injected(messages):
                for message in messages:
                    if message.origin not in NOT_SHOWN:
                        self._out.write_item(
                            values.user_message(message, self._note_rows.headings, steered=False)
                        )
            case Compacted() | Cleared() | Expanded():
                self._out.write_item(values.compaction(fact))
            case Rewound():
                self._out.write("historyRewound", values.rewound(fact))

    def _write_messages(self, messages: Iterable[UserMessage], item_ids: Iterable[str]) -> None:
        """Write the messages with these ids: the prompt of the run, and what was said into it."""
        wanted = set(item_ids)
        prompt = self._state.admitted.item_id if self._state.admitted else ""
        for message in messages:
            if message.item_id in wanted:
                steered = message.item_id != prompt
                self._out.write_item(values.user_message(message, self._note_rows.headings, steered=steered))

    # --- the model ---

    def _model_fact(self, fact: TurnStarted | Replied | Cut | Overflowed | Used, after: State) -> None:
        match fact:
            case TurnStarted(turn_id, model, window):
                self._items.forget_failures()
                self._out.turn_id = turn_id
                self._window = window
                self._out.write("turnStarted", {"model": model})
            case Replied():
                self._replied(fact, after)
            case Cut(item_id, text, thinking, cause=cause):
                texts: Texts = {"message": text, "thought": thinking}
                if cause == "cancelled":
                    self._items.finish_reply(item_id, texts, {"status": "cancelled"})
                else:
                    self._items.fail_reply(item_id, texts)
            case Overflowed():
                self._end_turn({"overflowed": True})
            case Used():
                pass  # the end of the run has it

    def _replied(self, fact: Replied, after: State) -> None:
        texts: Texts = {"message": fact.text, "thought": fact.thinking}
        self._items.finish_reply(fact.item_id, texts, {"status": "completed"})
        for call in fact.tool_calls:
            self._items.start(values.tool_call(call), "output")
        end: TurnEndedData = {
            "usage": values.usage(fact.usage),
            "cost": fact.cost,
            "finish": camel(fact.finish),
            "model": fact.model,
        }
        self._turn_end = compact(TurnEndedData, end)
        if not fact.tool_calls:
            self._end_turn(self._turn_end)
        self._write_usage(fact, after)

    def _write_usage(self, fact: Replied, after: State) -> None:
        """Write how full the context is, when the provider counted.

        The window of a model that answered in place of the one that was asked is not known.
        """
        if fact.usage.input_tokens is None:
            return
        usage: ContextUsageData = {
            "used": fact.usage.input_tokens + (fact.usage.output_tokens or 0),
            "sure": "told",
            "size": None if fact.model else self._window,
            "cost": after.total.cost or None,
        }
        self._out.write_transient("contextUsage", compact(ContextUsageData, usage))

    def _end_turn(self, data: TurnEndedData) -> None:
        if self._out.turn_id:
            self._out.write("turnEnded", data)
            self._out.turn_id = ""

    # --- tools ---

    def _tool_fact(self, fact: ToolStarted | ToolFinished, before: State, after: State) -> None:
        match fact:
            case ToolStarted(call_id, name, arguments):
                known = before.calls.get(call_id)
                if known is None:  # its reply is a fact that only a newer version reads
                    self._items.start(values.tool_call(ToolCall(call_id, name, arguments)), "output")
                changed = known is not None and known.call.arguments != arguments
                patch: JsonObject = {"status": "running"}
                self._items.patch(call_id, {**patch, "input": arguments} if changed else patch)
            case ToolFinished(call_id, outcome):
                if call_id in before.calls:
                    self._helpers.close(call_id)
                    output, omitted = capped(without_marks(outcome.text))
                    self._end_call(call_id, outcome, output, omitted + outcome.truncated)
                if not after.calls:
                    self._end_turn(self._turn_end)

    def _end_call(self, call_id: str, outcome: ToolOutcome, output: str, omitted: int) -> None:
        ended: JsonObject = {"status": outcome.status, "effects": outcome.effects, "output": output}
        more = filled(
            truncated=omitted or None,
            changes=[values.change(done) for done in outcome.changes],
            terminal=outcome.terminal and values.terminal(outcome.terminal, output),
            images=values.content_blocks(outcome.images),
            refusedBy=outcome.refused_by or None,
        )
        self._items.complete(call_id, ended | more)
