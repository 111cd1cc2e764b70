"""What facts become on the wire, proved over real sessions with a scripted model."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from agls.engine.facts import (
    Cleared,
    Compacted,
    Cut,
    Entry,
    Injected,
    LimitsChanged,
    Notice,
    PhaseStarted,
    Replied,
    Retrying,
    TextDelta,
    ThinkingDelta,
    ToolDelta,
    ToolFinished,
    Transient,
    TurnStarted,
    Unknown,
    Used,
)
from agls.engine.feature import Feature, Invocation, RunSetup, RunView
from agls.engine.ports import Effect, ModelError, ToolContext
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State, fold_all
from agls.engine.vocabulary import (
    Answer,
    FileChange,
    FileVersion,
    Image,
    Limits,
    Option,
    Question,
    Resource,
    ResourceLink,
    Stop,
    StopReason,
    Terminal,
    Text,
    ToolCall,
    ToolOutcome,
    Usage,
    UserMessage,
)
from agls.order import NOTES
from agls.stores.memory import MemoryStore
from agls.views import values
from agls.views.project import Projection
from agls.views.run_totals import RunTotals
from agls.views.transcript import Transcript, fold
from support.scenario import NOWHERE, FakeClock, FakeModel, FakeTool, call, overflow, say
from support.wire_rules import check_events

Wire = dict[str, Any]


class Recording:
    """A session whose events are translated as they come."""

    def __init__(self, session: Session, model: FakeModel) -> None:
        self.session, self.model = session, model
        self.events: list[Wire] = []
        self.projection = Projection(NOTES, session.session_id, "epoch")
        for entry in session.log.journal.entries():
            self.events += self.projection.events(entry)
        session.log.subscribe(self._take)

    def _take(self, event: Entry | Transient, state: State) -> None:
        if isinstance(event, Entry):
            self.events += self.projection.events(event, state)
        else:
            self.events += self.projection.transient(event, 1.0)

    def of(self, *types: str) -> list[Wire]:
        """The events of these types."""
        return [event for event in self.events if event["type"] in types]

    def data(self, type: str) -> Wire:
        """The data of the last event of this type."""
        return self.of(type)[-1]["data"]

    async def until(self, type: str) -> None:
        """Wait for an event of this type."""
        async with asyncio.timeout(5):
            while not self.of(type):
                await asyncio.sleep(0)

    async def run(self, *content: Any) -> Wire:
        """Prompt and wait for the end; gives the data of `runEnded`."""
        admission = await self.session.prompt(content or (Text("go"),))
        await self.session.finished(admission.run_id)
        return self.data("runEnded")

    def transcript(self) -> Transcript:
        """All events folded, after checking them; facts alone must tell the same story."""
        check_events(self.events)
        folded = fold(json.loads(json.dumps(self.events)))
        projection = Projection(NOTES, self.session.session_id, "epoch")
        again = [e for entry in self.session.log.journal.entries() for e in projection.events(entry)]
        check_events(again)
        replayed = fold(again)
        kept = {i: item for i, item in folded.items.items() if not item.get("discarded")}
        assert {i: item for i, item in replayed.items.items() if not item.get("discarded")} == kept
        assert (replayed.runs, replayed.queue, replayed.seq) == (folded.runs, folded.queue, folded.seq)
        assert folded.seq == self.session.state.seq
        return folded


Play = Callable[[Recording], Awaitable[None]]


async def play(
    *turns: list[Any], scene: Play, features: Sequence[Feature] | Callable[[Session], Sequence[Feature]] = ()
) -> Recording:
    model = FakeModel(list(turns))

    def build_run(session: Session, admitted: Any) -> RunSetup:
        made = features(session) if callable(features) else features
        if admitted.options.get("broken"):
            raise ModelError("no such model", kind="modelNotFound", hint="Choose another.")
        return RunSetup(tuple(made), model, NOWHERE, Limits(max_turns=9))

    async with Sessions(MemoryStore(), build_run, FakeClock()) as sessions:
        session = await sessions.create("/project", title="A title", options={"model": "fake"})
        recording = Recording(session, model)
        await scene(recording)
    return recording


async def just_run(recording: Recording) -> None:
    await recording.run()


def tools(*made: Any) -> tuple[Feature, ...]:
    return (Feature(name="tools", tools=made),)


def test_context_usage_has_the_window_where_it_is_known() -> None:
    answered = Replied("i", "Hi.", usage=Usage(10, 3))
    facts = (TurnStarted("t1", "m", 32_000), answered, TurnStarted("t2", "n"), answered)
    projection = Projection(NOTES, "ses_1", "epoch")
    entries = (Entry(seq, 1.0, fact) for seq, fact in enumerate(facts, 1))
    events = [told for entry in entries for told in projection.events(entry)]
    meters = [event["data"] for event in events if event["type"] == "contextUsage"]
    assert meters == [{"used": 13, "sure": "told", "size": 32_000}, {"used": 13, "sure": "told"}]


async def test_events_of_a_run_reach_from_admission_to_idle() -> None:
    turn = [
        TextDelta("", "Hé"),
        TextDelta("", "llo"),
        Replied("", "Héllo", thinking="hm", usage=Usage(10, 3), cost=0.5),
    ]

    recording = await play(turn, scene=just_run)
    told = recording.transcript()
    assert [event["type"] for event in recording.events] == [
        "sessionInfo", "options", "runAdmitted", "runStarted", "sessionState",
        "itemStarted", "itemCompleted", "turnStarted", "itemStarted", "itemDelta", "itemDelta",
        "itemStarted", "itemCompleted", "itemCompleted", "turnEnded", "contextUsage",
        "runEnded", "sessionState",
    ]  # fmt: skip
    assert [event["data"]["offset"] for event in recording.of("itemDelta")] == [0, 3]
    assert recording.data("runEnded") == {
        "stopReason": "endTurn",
        "filesChanged": [],
        "usage": {"inputTokens": 10, "outputTokens": 3},
        "cost": 0.5,
    }
    assert recording.data("runStarted") == {"limits": {"maxTurns": 9}}
    assert recording.data("contextUsage") == {"used": 13, "sure": "told", "cost": 0.5}
    assert [item["kind"] for item in told.items.values()] == ["userMessage", "message", "thought"]
    assert told.info == {"cwd": "file:///project", "title": "A title"}
    assert told.options == {"model": "fake"}
    assert told.state == "idle"


async def test_all_events_of_a_fact_share_its_number_and_the_others_are_placed_behind_it() -> None:
    recording = await play(say("hi"), scene=just_run)
    run_end = recording.of("runEnded")[0]
    idle = recording.of("sessionState")[-1]
    assert idle["after"] == run_end["seq"]
    assert "runId" not in idle
    assert recording.of("itemDelta")[0]["after"] == recording.of("turnStarted")[0]["seq"]
    assert recording.events[0]["ts"].endswith("Z")


async def test_a_tool_call_is_one_item_with_its_output_changes_and_terminal() -> None:
    change = FileChange(
        "file:///project/a", "added", FileVersion(), FileVersion("ab", 2), "+x\n", "editor", insertions=1
    )
    outcome = ToolOutcome(
        "é" * 40_000, "completed", "applied", (change,), Terminal("make", "/project", 0), truncated=5
    )

    class Editing(FakeTool):
        async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
            context.show("é1")
            context.show("2")
            return outcome

    tool = Editing("edit", frozenset({Effect.WRITES}))
    recording = await play(call(("c1", "edit")), say(), scene=just_run, features=tools(tool))
    item = recording.transcript().items["c1"]
    assert (item["status"], item["effects"], item["title"], item["input"]) == (
        "completed", "applied", "edit", {},
    )  # fmt: skip
    assert item["changes"][0] == {
        "uri": "file:///project/a", "change": "added", "base": {"hash": ""},
        "result": {"hash": "ab", "version": 2}, "patch": "+x\n", "via": "editor",
    }  # fmt: skip
    assert item["terminal"] == {"command": "make", "cwd": "/project", "exitCode": 0}
    assert len(item["output"].encode()) < 66_000
    assert item["truncated"] == 80_000 - 65_536 + 5
    assert [e["data"]["offset"] for e in recording.of("itemDelta") if e["itemId"] == "c1"] == [0, 3]
    assert recording.of("itemUpdated")[0]["data"] == {"patch": {"status": "running"}}
    assert recording.data("runEnded")["filesChanged"] == [
        {"uri": "file:///project/a", "change": "added", "insertions": 1, "deletions": 0}
    ]


async def test_call_item_shows_changed_arguments_once_the_call_starts() -> None:
    async def change(invocation: Invocation, view: RunView, inner: Any) -> ToolOutcome:
        changed = ToolCall("c1", "look", {"path": "b"})
        return await inner(Invocation(changed, invocation.tool, invocation.context))

    features = (Feature(name="f", around_tool=change, tools=(FakeTool("look"),)),)
    recording = await play(call(("c1", "look")), say(), scene=just_run, features=features)
    assert recording.transcript().items["c1"]["input"] == {"path": "b"}


async def test_a_cancelled_message_keeps_its_text() -> None:
    async def stop(recording: Recording) -> None:
        admission = await recording.session.prompt((Text("go"),))
        await recording.until("itemDelta")
        recording.session.cancel()
        await recording.session.finished(admission.run_id)

    turn = [TextDelta("", "half"), asyncio.Event().wait]
    recording = await play(turn, scene=stop)
    items = list(recording.transcript().items.values())
    assert (items[-1]["status"], items[-1]["text"]) == ("cancelled", "half")
    assert recording.data("runEnded")["stopReason"] == "cancelled"
    assert "usage" not in recording.data("runEnded"), "a zero would be a lie"


async def test_broken_answer_is_discarded_and_its_run_ends_with_the_error() -> None:
    turn = [TextDelta("", "half"), ModelError("reset", kind="network", hint="Try again.")]
    recording = await play(turn, scene=just_run)
    item = list(recording.transcript().items.values())[-1]
    assert (item["status"], item["discarded"]) == ("failed", True)
    title = "The model cannot be reached"
    error = {"kind": "network", "message": "reset Try again.", "title": title}
    assert recording.data("runEnded")["error"] == error


async def test_a_retry_starts_a_new_item() -> None:
    turn = [TextDelta("", "bad"), Retrying(1, 0.25, "reset"), *say("good")]
    recording = await play(turn, scene=just_run)
    check_events(recording.events)
    items = [item for item in fold(recording.events).items.values() if item["kind"] == "message"]
    assert [(i["text"], i["status"], i.get("discarded", False)) for i in items] == [
        ("bad", "failed", True), ("good", "completed", False),
    ]  # fmt: skip
    assert recording.data("turnRetrying") == {
        "attempt": 1, "delayMs": 250, "cause": "reset", "discardPartial": True,
    }  # fmt: skip


async def test_retry_that_fails_again_leaves_one_failed_item() -> None:
    turn = [TextDelta("", "bad"), Retrying(1, 0.25, "reset"), ModelError("reset", kind="network")]
    recording = await play(turn, scene=just_run)
    check_events(recording.events)
    items = [item for item in fold(recording.events).items.values() if item["kind"] == "message"]
    assert [item["status"] for item in items] == ["failed"]


async def test_open_calls_and_questions_are_closed_when_the_run_ends() -> None:
    def asking(session: Session) -> Sequence[Feature]:
        async def ask(invocation: Invocation, view: RunView, inner: Any) -> ToolOutcome:
            answer = await session.questions.ask(Question("permission", "May I?", call_id="c1"))
            return ToolOutcome(answer.outcome)

        return (Feature(name="f", around_tool=ask, tools=(FakeTool("look"),)),)

    async def stop(recording: Recording) -> None:
        recording.session.questions.attend(True)
        admission = await recording.session.prompt((Text("go"),))
        await recording.until("requestOpened")
        assert recording.projection.status == "requiresAction"
        assert recording.projection.open_items()[0]["status"] == "pending"
        assert recording.projection.open_requests()[0]["title"] == "May I?"
        recording.session.cancel()
        await recording.session.finished(admission.run_id)

    recording = await play(call(("c1", "look")), scene=stop, features=asking)
    told = recording.transcript()
    assert told.items["c1"]["status"] == "cancelled"
    assert not told.requests
    states = [event["data"]["state"] for event in recording.of("sessionState")]
    assert states == ["running", "requiresAction", "running", "idle"]


async def test_unanswered_question_is_counted() -> None:
    options = (Option("yes", "Yes", "allow", "run", "edit *"),)

    def asking(session: Session) -> Sequence[Feature]:
        async def ask(invocation: Invocation, view: RunView, inner: Any) -> ToolOutcome:
            question = Question("permission", "May I?", "because", "c1", {"type": "tool"}, options)
            await session.questions.ask(question)
            return ToolOutcome("no", "rejected")

        return (Feature(name="f", around_tool=ask, tools=(FakeTool("look"),)),)

    recording = await play(call(("c1", "look")), say(), scene=just_run, features=asking)
    told = recording.transcript()
    assert recording.data("runEnded")["unanswered"] == 1
    assert recording.data("requestResolved")["outcome"] == "unanswered"
    assert told.items["c1"]["status"] == "rejected"
    assert recording.data("requestOpened")["options"] == [
        {"optionId": "yes", "label": "Yes", "decision": "allow", "scope": "run", "rule": "edit *"}
    ]


async def test_a_crash_leaves_nothing_open_on_the_wire() -> None:
    """A journal cut behind a started call is closed by the next process."""
    store, model = MemoryStore(), FakeModel([call(("c1", "look"), ("c2", "look")), say()])

    def build_run(session: Session, admitted: Any) -> RunSetup:
        return RunSetup(tools(FakeTool("look")), model, NOWHERE)

    async with Sessions(store, build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        admission = await session.prompt((Text("go"),))
        await session.finished(admission.run_id)
        entries = list(session.log.journal.entries())
    for cut in range(1, len(entries)):
        again = MemoryStore()
        journal = again.create("ses_cut")
        journal.append(*entries[:cut])
        journal.close()
        async with Sessions(again, build_run, FakeClock()) as sessions:
            session = await sessions.open("ses_cut")
            recording = Recording(session, model)
            recording.transcript()
            half = Projection(NOTES, "ses_cut", "epoch", fold_all(entries[:cut]))
            rest = [e for entry in session.log.journal.entries()[cut:] for e in half.events(entry)]
            whole = [event for event in recording.events if event.get("seq", 0) > cut]
            assert [e["type"] for e in rest if "seq" in e if e["type"] != "turnEnded"] == [
                e["type"] for e in whole if "seq" in e if e["type"] != "turnEnded"
            ]


async def test_steered_and_injected_messages_have_different_origins() -> None:
    async def steer(recording: Recording) -> None:
        admission = await recording.session.prompt((Text("go"),))
        await recording.until("itemDelta")
        await recording.session.steer((Text("left"), Resource("file:///a", "body")))
        gate.set()
        await recording.session.finished(admission.run_id)

    async def inject(reply: Replied, view: RunView) -> Sequence[Injected]:
        if any(isinstance(m, UserMessage) and m.origin == "critic" for m in view.state.transcript):
            return ()
        return (Injected((UserMessage("item_n", (Text("go on"),), "critic"),)),)

    gate = asyncio.Event()
    features = (Feature(name="critic", before_stop=inject),)
    turn = [TextDelta("", "a"), gate.wait, Replied("", "a")]
    recording = await play(turn, say("b"), say("c"), scene=steer, features=features)
    told = recording.transcript()
    steered = [item for item in told.items.values() if item.get("steer")]
    assert steered[0]["content"][1] == {"type": "resource", "uri": "file:///a", "text": "body"}
    assert told.items["item_n"]["kind"] == "notice"
    assert told.items["item_n"]["title"] == "Remarks of the critic"
    waiting = next(e for e in recording.of("recorded") if e["data"]["fact"] == "steered")
    assert waiting["data"]["itemId"] == steered[0]["itemId"]


async def test_queue_event_lists_every_prompt_and_idle_comes_after_the_last() -> None:
    async def queue(recording: Recording) -> None:
        first = await recording.session.prompt((Text("one"),))
        second = await recording.session.prompt((Text("two"), Image("aGk=", "image/png")))
        third = await recording.session.prompt((ResourceLink("file:///b", "b"),))
        await recording.until("turnStarted")
        recording.session.cancel(second.run_id)
        gate.set()
        await recording.session.finished(first.run_id)
        await recording.session.finished(third.run_id)

    gate = asyncio.Event()
    recording = await play([gate.wait, *say("1")], say("3"), scene=queue)
    recording.transcript()
    queues = [[w["content"][0]["type"] for w in e["data"]["queue"]] for e in recording.of("queueChanged")]
    assert queues == [["text"], ["text", "resourceLink"], ["resourceLink"], []]
    assert [e["data"]["admission"] for e in recording.of("runAdmitted")] == ["started", "queued", "queued"]
    assert [e["data"]["stopReason"] for e in recording.of("runEnded")] == ["cancelled", "endTurn", "endTurn"]
    assert [e["data"]["state"] for e in recording.of("sessionState")] == ["running", "idle"]


async def test_a_run_that_cannot_begin_ends_and_the_session_is_idle() -> None:
    async def broken(recording: Recording) -> None:
        admission = await recording.session.prompt((Text("go"),), options={"broken": True})
        await recording.session.finished(admission.run_id)

    recording = await play(scene=broken)
    recording.transcript()
    assert recording.data("runEnded")["error"]["kind"] == "modelNotFound"
    assert not recording.of("sessionState")


async def test_facts_with_nothing_to_show_leave_no_hole() -> None:
    async def gate(view: RunView) -> Sequence[Any]:
        if view.state.run.turns:
            return ()
        view.note("room", "kind", {"secret": 1})
        view.show(Notice("info", "Title", "text"))
        return (
            LimitsChanged(Limits()), PhaseStarted("plan", "be good"), Compacted("item_s", "so far", 0),
        )  # fmt: skip

    async def spend(attempt: Any, view: Any) -> Stop:
        view.record(Used("critic", Usage(5), 0.25))
        view.record(Unknown("new", {}))
        return await attempt()

    features = (Feature(name="f", before_turn=gate, around_run=spend),)
    recording = await play(overflow(), say(usage=Usage(1, 1)), scene=just_run, features=features)
    told = recording.transcript()
    kinds = [event["data"]["fact"] for event in recording.of("recorded")]
    assert kinds == ["used", "unknown", "noted", "limitsChanged", "phaseStarted"]
    assert "secret" not in json.dumps(recording.events)
    assert told.items["item_s"]["text"] == "so far"
    assert recording.data("notice") == {"severity": "info", "title": "Title", "text": "text"}
    ended = recording.data("runEnded")
    assert (ended["usage"], ended["cost"], ended["unpriced"]) == (
        {"inputTokens": 6, "outputTokens": 1},
        0.25,
        1,
    )


@pytest.mark.parametrize("reason", list(StopReason))
async def test_every_stop_reason_has_a_wire_name(reason: StopReason) -> None:
    async def gate(view: RunView) -> Sequence[Any]:
        return (Stop(reason, "detail"),)

    recording = await play(scene=just_run, features=(Feature(name="f", before_turn=gate),))
    ended = recording.data("runEnded")
    assert ended["stopReason"].isalpha()
    assert ("error" in ended) == (ended["stopReason"] == "error")


async def test_deltas_that_come_too_late_are_left_out() -> None:
    recording = await play(say("hi"), scene=just_run)
    projection = recording.projection
    late = [TextDelta("x", "late"), ThinkingDelta("x", "late"), ToolDelta("c9", "late")]
    assert [projection.transient(shown, 1.0) for shown in late] == [[], [], []]


async def test_end_of_a_run_closes_an_open_message() -> None:
    facts = await play(say("hi"), scene=just_run)
    entries = facts.session.log.journal.entries()
    projection = Projection(NOTES, "ses", "epoch")
    events = [e for entry in entries[:4] for e in projection.events(entry)]
    assert isinstance(entries[3].fact, TurnStarted)
    events += projection.transient(TextDelta("item_x", "half"), 1.0)
    assert projection.open_items()[0]["text"] == "half"
    events += projection.events(Entry(5, 1.0, entries[-1].fact))
    check_events(events)
    assert fold(events).items["item_x"] == {
        "itemId": "item_x", "kind": "message", "status": "cancelled", "text": "half",
    }  # fmt: skip


def test_a_second_failed_attempt_has_an_item_of_its_own() -> None:
    projection = Projection(NOTES, "ses", "epoch", State(running=True))
    events: list[Wire] = []
    facts = [TurnStarted("turn_1", "m"), Cut("item_1", "a", cause="failed"), Replied("item_1", "b", "t")]
    for seq, fact in enumerate(facts, 1):
        events += projection.events(Entry(seq, 1.0, fact))
    assert [item["itemId"] for item in fold(events).items.values()] == [
        "item_1", "item_1.thought~2", "item_1~2",
    ]  # fmt: skip


def test_compaction_item_has_the_tokens_before_and_after() -> None:
    projection = Projection(NOTES, "ses", "epoch", State())
    summary = Compacted("item_1", "so far", 3, ("item_0",), "threshold", 140_000, 21_000)
    cleared = Cleared("item_2", ("c1", "c2"), "idle", 90_000, 40_000)
    facts = [summary, cleared, Compacted("item_3", "again", 0), Cleared("item_4", ("c3",))]
    events = [
        event for seq, fact in enumerate(facts, 1) for event in projection.events(Entry(seq, 1.0, fact))
    ]
    items = fold(events).items
    assert items["item_1"]["kind"] == "compaction"
    assert (items["item_1"]["tokensBefore"], items["item_1"]["tokensAfter"]) == (140_000, 21_000)
    assert items["item_2"]["kind"] == "notice"
    assert "2 earlier calls: about 90,000 tokens before, 40,000 now." in items["item_2"]["text"]
    assert "tokensBefore" not in items["item_3"]
    assert items["item_4"]["text"].endswith("the results of 1 earlier call.")


def test_files_are_summed_over_the_run() -> None:
    def change(uri: str, kind: Any) -> FileChange:
        return FileChange(uri, kind, FileVersion(), FileVersion(), "", "disk", 2, 1)

    totals = RunTotals()
    for done in (
        change("a", "added"), change("a", "modified"), change("b", "added"), change("b", "deleted"),
        change("d", "modified"), change("d", "modified"),
    ):  # fmt: skip
        totals.take(ToolFinished("call_1", ToolOutcome("", changes=(done,))), NOTES)
    assert totals.end(Stop(StopReason.END_TURN))["filesChanged"] == [
        {"uri": "a", "change": "added", "insertions": 4, "deletions": 2},
        {"uri": "d", "change": "modified", "insertions": 4, "deletions": 2},
    ]


def test_answers_carry_no_form_content() -> None:
    answer = Answer("accepted", content={"password": "x"}, by="vim")
    assert values.resolution("ask_1", answer) == {"requestId": "ask_1", "outcome": "accepted", "by": "vim"}
