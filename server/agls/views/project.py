"""Facts and glimpses of one session, translated into wire events (protocol#events, #order)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import assert_never

from agls.engine.context import OpenCall, closing_text
from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cleared,
    Compacted,
    Cut,
    Entry,
    Fact,
    Glimpse,
    Injected,
    LimitsChanged,
    Noted,
    Notice,
    Overflowed,
    PhaseStarted,
    QueueChanged,
    Replied,
    Retrying,
    Rewound,
    RunDiff,
    RunEnded,
    RunStarted,
    SessionChanged,
    Shown,
    Steered,
    TakenIn,
    TextDelta,
    ThinkingDelta,
    ToolDelta,
    ToolFinished,
    ToolStarted,
    TurnStarted,
    Unknown,
    Used,
)
from agls.engine.state import State, settled
from agls.engine.vocabulary import (
    Answer,
    JsonObject,
    Question,
    Stop,
    StopReason,
    ToolCall,
    ToolOutcome,
    UserMessage,
)
from agls.views import wire_json
from agls.views.events import Envelope
from agls.views.items import OpenItems, Texts
from agls.views.notes import QUIET, checkpoint, file_edit, recorded, subagent
from agls.views.run_queue import Waiting, admission
from agls.views.run_totals import Meter, Tally, answered, counts_of
from agls.views.tasks import Tasks

WITHDRAWN = Answer("cancelled")


class Translator:
    """Translates one session's facts, from the one after `state` on. Stateful and pure: it touches nothing.

    Every fact gives at least one event with its `seq`, so that a hole is always an error.
    """

    def __init__(
        self, session_id: str, epoch: str, state: State | None = None, out: Envelope | None = None
    ) -> None:
        state = state or State()
        self.out = out or Envelope(session_id, epoch, state.seq)
        self._items = OpenItems(self.out)
        self._tasks = Tasks(self.out, self._items, state)
        self._tally, self._meter = Tally(), Meter(state.total.cost)
        self._info: JsonObject = wire_json.session_info(state.cwd, state.title, state.parent, state.roots)
        self._options = dict(state.options)
        self.out.belong(state.parent_item, state.options)
        self._waiting = Waiting(state.queue)
        self._pending = list(state.pending)  # messages that no model request has taken in
        asked = {state.admitted.item_id} if state.admitted else set[str]()
        self._steered = {message.item_id for message in state.pending} - asked
        self._turn_members: JsonObject = {}
        self._running = state.running
        self._calls = dict(state.calls)
        self._questions = dict(state.questions)
        self._status, self._tasks_told = "idle", len(self._tasks)
        if state.running:
            self.out.run_id = state.run_id
            self._status = "requiresAction" if state.questions else "running"
        for open_call in state.calls.values():
            status = "running" if open_call.started else "pending"
            self._items.adopt({**wire_json.call_item(open_call.call), "status": status}, "output")

    @property
    def status(self) -> str:
        """What `sessionState` said last: idle, running or requiresAction."""
        return self._status

    @property
    def options(self) -> JsonObject:
        """The options of the session."""
        return dict(self._options)

    def open_items(self) -> list[JsonObject]:
        """The unfinished items, with what streamed into them so far."""
        return self._items.folded()

    def open_requests(self) -> list[JsonObject]:
        """The questions nobody has answered yet."""
        return [wire_json.question(request_id, asked) for request_id, asked in self._questions.items()]

    def events(self, event: Entry | Glimpse) -> list[JsonObject]:
        """The wire events of one fact (all with its `seq`) or glimpse, in order, as plain JSON."""
        self.out.open(event)
        if isinstance(event, Glimpse):
            self._shown(event.shown)
            return self.out.close()
        self._fact(event.fact)
        told = self.out.close()
        if self.out.keeps("recorded") and not any("seq" in one for one in told):
            self.out.put("recorded", recorded(event.fact))
        return told

    def told(self, type: str, data: JsonObject, at: float) -> list[JsonObject]:
        """An event that comes from no fact and no glimpse, at this time (Unix seconds)."""
        self.out.show(at)
        self.out.put(type, data)
        return self.out.close()

    def caught_up(self, behind: Mapping[str, int], at: float) -> list[JsonObject]:
        """A `gap` and these items as they stand, for a client that was spared their deltas from a fact on."""
        self.out.show(at)
        self._items.catch_up(behind)
        return self.out.close()

    # --- what is only shown ---

    def _shown(self, shown: Shown) -> None:
        match shown:
            case TextDelta(item_id, text):
                if self._running:
                    self._items.grow_reply("message", item_id, text)
            case ThinkingDelta(item_id, text):
                if self._running:
                    self._items.grow_reply("thought", item_id, text)
            case ToolDelta(call_id, text):
                self._items.grow(call_id, text)
            case Retrying(attempt, delay, cause):
                discarded = self._items.discard_replies()
                data = {"attempt": attempt, "delayMs": round(delay * 1000), "cause": cause}
                self.out.put("turnRetrying", {**data, "discardPartial": discarded})
            case Notice(severity, title, text):
                self.out.put("notice", {"severity": severity, "title": title, "text": text})
            case RunDiff(diff, truncated):
                self.out.put("turnDiff", {"diff": diff, **wire_json.filled(truncated=truncated or None)})

    # --- facts ---

    def _fact(self, fact: Fact) -> None:
        match fact:
            case Replied() | TurnStarted() | Cut() | Overflowed() | Used():
                self._model_fact(fact)
            case ToolStarted() | ToolFinished():
                self._tool_fact(fact)
            case Admitted() | RunStarted() | RunEnded() | QueueChanged():
                self._run_fact(fact)
            case Steered() | TakenIn() | Injected() | Compacted() | Cleared() | Rewound() | PhaseStarted():
                self._context_fact(fact)
            case SessionChanged():
                self._session_changed(fact)
            case Asked(request_id, question):
                self._asked(request_id, question)
            case Answered(request_id, answer):
                self._answered(request_id, answer)
                self._tell_status("requiresAction" if self._questions else "running")
            case Noted():
                self._noted(fact)
            case LimitsChanged() | Unknown():
                pass
            case _:  # pragma: no cover - closed by the type checker
                assert_never(fact)

    def _noted(self, fact: Noted) -> None:
        self._tally.note(fact.feature, fact.kind, fact.data)
        if kept := checkpoint(fact):
            self.out.put("checkpoint", kept)
        if item := file_edit(fact) or subagent(fact):
            self._items.tell(item)
        if self._tasks.take(fact):
            self._tell_status(self._status)

    def _session_changed(self, fact: SessionChanged) -> None:
        options = settled({**self._options, **fact.options})
        self.out.belong(fact.parent_item if fact.parent else self.out.parent_item, options)
        if changed := wire_json.session_info(fact.cwd, fact.title, fact.parent, fact.roots):
            self._info |= changed
            self.out.put("sessionInfo", dict(self._info))
        if fact.options:
            self._options = options
            self.out.put("options", {"options": self.options})

    def _run_fact(self, fact: Admitted | QueueChanged | RunStarted | RunEnded) -> None:
        match fact:
            case Admitted():
                self._admitted(fact)
            case QueueChanged(run_ids):
                self._waiting.order(run_ids)
            case RunStarted():
                self._run_started(fact)
            case RunEnded(run_id, stop):
                self._run_ended(run_id, stop)
        self._tell_queue()

    def _admitted(self, fact: Admitted) -> None:
        queued = self._waiting.admit(fact, running=self._running)
        if self.out.keeps("runAdmitted"):
            self.out.put_for(fact.run_id, "runAdmitted", admission(fact, queued=queued))

    def _run_started(self, fact: RunStarted) -> None:
        admitted = self._waiting.leave(fact.run_id)
        if admitted and admitted.content:
            self._pending.insert(0, UserMessage(admitted.item_id, admitted.content))
        self._waiting.go_on(begin=False)
        self._running, self._tally = True, Tally()
        self.out.run_id = fact.run_id
        if self.out.keeps("runStarted"):
            self.out.put("runStarted", wire_json.filled(limits=wire_json.limits(fact.limits)))
        self._tell_status("running")
        self._take_in(fact.item_ids)

    def _run_ended(self, run_id: str, stop: Stop) -> None:
        unbegun = self._waiting.leave(run_id)
        members = wire_json.stop_members(stop)
        current = self._running and run_id == self.out.run_id
        if current:
            self._close_run(stop)
            self.out.put("runEnded", {**members, **self._tally.members()})
            self._running, self.out.run_id = False, ""
        else:
            self._take_in([late.item_id for late in self._pending if unbegun and not self._running])
            self.out.put_for(run_id, "runEnded", {**members, "filesChanged": []})
        if current or self._waiting.is_next(run_id):
            goes_on = self._waiting.go_on(begin=stop.reason is not StopReason.INTERRUPTED)
            self._tell_status(self._status if goes_on else "idle")

    def _close_run(self, stop: Stop) -> None:
        """Complete everything that blocks the run, as folding its end does."""
        self._items.cancel_replies()
        for call_id in self._items.calls:
            open_call = self._calls[call_id]
            printed, omitted = self._items.printed(call_id)
            text = closing_text(open_call, stop) + (f"\n{printed}" if printed else "")
            effects = "unknown" if open_call.started else "none"
            self._end_call(call_id, ToolOutcome("", "cancelled", effects), text, omitted)
        for request_id in list(self._questions):
            self._answered(request_id, WITHDRAWN)
        self._end_turn({})
        self._take_in([late.item_id for late in self._pending])  # the next run begins with them

    def _context_fact(
        self, fact: Steered | TakenIn | Injected | Compacted | Cleared | Rewound | PhaseStarted
    ) -> None:
        match fact:
            case Steered(item_id, _, content, _, origin):
                self._steered.add(item_id)
                self._pending.append(UserMessage(item_id, content, origin))
            case TakenIn(item_ids):
                self._take_in(item_ids)
            case Injected(messages):
                self._tell_messages(message for message in messages if message.origin not in QUIET)
            case Compacted() | Cleared():
                self._items.tell(wire_json.compaction(fact))
            case Rewound():
                self.out.put("historyRewound", wire_json.rewound(fact))
            case PhaseStarted(name):
                self.out.put("recorded", {"fact": "phaseStarted", "name": name})

    def _take_in(self, item_ids: Sequence[str]) -> None:
        self._tell_messages(message for message in self._pending if message.item_id in item_ids)
        self._pending = [waiting for waiting in self._pending if waiting.item_id not in item_ids]

    def _tell_messages(self, messages: Iterable[UserMessage]) -> None:
        for message in messages:
            self._items.tell(self._message_item(message))

    def _message_item(self, message: UserMessage) -> JsonObject:
        item: JsonObject = {"itemId": message.item_id, "kind": "userMessage", "status": "completed"}
        if message.origin != "user":
            text = wire_json.plain_text(message.content)
            return {**item, "kind": "notice", "title": message.origin, "text": text}
        item["content"] = wire_json.content_blocks(message.content)
        if message.item_id in self._steered:
            self._steered.discard(message.item_id)
            item["steer"] = True
        return item

    def _model_fact(self, fact: TurnStarted | Replied | Cut | Overflowed | Used) -> None:
        match fact:
            case TurnStarted(turn_id, model, window):
                self._items.forget_failures()
                self.out.turn_id, self._meter.window = turn_id, window
                self.out.put("turnStarted", {"model": model})
            case Replied():
                self._replied(fact)
            case Cut(item_id, text, thinking, usage, cause):
                self._spend(counts_of(usage), None)
                texts: Texts = {"message": text, "thought": thinking}
                if cause == "cancelled":
                    self._items.finish_reply(item_id, texts, {"status": "cancelled"})
                else:
                    self._items.fail_reply(item_id, texts)
            case Overflowed():
                self._end_turn({"overflowed": True})
            case Used(_, usage, cost):
                self._spend(counts_of(usage), cost)

    def _spend(self, counts: dict[str, int], cost: float | None) -> None:
        self._tally.spend(counts, cost)
        self._meter.spend(cost)

    def _replied(self, fact: Replied) -> None:
        counts = counts_of(fact.usage)
        self._spend(counts, fact.cost)
        texts: Texts = {"message": fact.text, "thought": fact.thinking}
        self._items.finish_reply(fact.item_id, texts, {"status": "completed"})
        for call in fact.tool_calls:
            self._start_call(call)
        self._turn_members = answered(fact, counts)
        if not fact.tool_calls:
            self._end_turn(self._turn_members)
        if usage := self._meter.read(fact.usage, fact.model):
            self.out.put_shown("contextUsage", usage)

    def _end_turn(self, members: JsonObject) -> None:
        if self.out.turn_id:
            self.out.put("turnEnded", members)
            self.out.turn_id = ""

    def _tool_fact(self, fact: ToolStarted | ToolFinished) -> None:
        match fact:
            case ToolStarted(call_id, name, arguments):
                if call_id not in self._calls:  # its reply is a fact that only a newer version reads
                    self._start_call(ToolCall(call_id, name, arguments))
                call = replace(self._calls[call_id].call, arguments=arguments)
                changed = call.arguments != self._calls[call_id].call.arguments
                self._calls[call_id] = OpenCall(call, started=True)
                patch: JsonObject = {"status": "running"}
                self._items.patch(call_id, {**patch, "input": arguments} if changed else patch)
            case ToolFinished(call_id, outcome):
                if call_id in self._calls:
                    output, omitted = wire_json.capped(outcome.text)
                    self._end_call(call_id, outcome, output, omitted + outcome.truncated)
                if not self._items.calls:
                    self._end_turn(self._turn_members)

    def _start_call(self, call: ToolCall) -> None:
        self._calls[call.call_id] = OpenCall(call)
        self._items.start(wire_json.call_item(call), "output")

    def _end_call(self, call_id: str, outcome: ToolOutcome, output: str, omitted: int) -> None:
        del self._calls[call_id]
        for done in outcome.changes:
            self._tally.change(done)
        members: JsonObject = {"status": outcome.status, "effects": outcome.effects, "output": output}
        shown = wire_json.content_blocks(outcome.images)
        terminal = outcome.terminal and wire_json.terminal(outcome.terminal)
        changes = [wire_json.change(done) for done in outcome.changes]
        members |= wire_json.filled(
            truncated=omitted or None, changes=changes, terminal=terminal, images=shown
        )
        self._items.complete(call_id, members)

    def _asked(self, request_id: str, question: Question) -> None:
        self._questions[request_id] = question
        self.out.put("requestOpened", wire_json.question(request_id, question), question.call_id)
        self._tell_status("requiresAction")

    def _answered(self, request_id: str, answer: Answer) -> None:
        if question := self._questions.pop(request_id, None):
            self._tally.unanswered += answer.outcome == "unanswered"
            self.out.put("requestResolved", wire_json.resolution(request_id, answer), question.call_id)

    # --- what follows from facts ---

    def _tell_queue(self) -> None:
        if (queue := self._waiting.news()) is not None:
            self.out.put_for("", "queueChanged", {"queue": queue})

    def _tell_status(self, status: str) -> None:
        tasks = len(self._tasks)
        if (status, tasks) != (self._status, self._tasks_told):
            self._status, self._tasks_told = status, tasks
            data = {"state": status, "queued": len(self._waiting), "backgroundTasks": tasks}
            self.out.put_shown("sessionState", data)
