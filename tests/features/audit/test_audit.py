"""Audit: one record for each run, however it ends; its rows are the transcript's; it can be read live."""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

import pytest

from agls.assembly import SessionLog
from agls.engine.actions import ActionContext, ActionError
from agls.engine.facts import Entry, LimitsChanged, RunEnded, RunStarted, Steered, ToolStarted
from agls.engine.feature import CallTool, Feature, Invocation, RunSetup, RunView
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State
from agls.engine.vocabulary import (
    Image,
    JsonObject,
    Limits,
    Stop,
    StopReason,
    Text,
    ToolOutcome,
    ToolResult,
    Usage,
)
from agls.features.audit.feature import build
from agls.features.audit.record import RunRecord, due, records, status_of
from agls.features.audit.report import as_json, asked_for, page
from agls.features.audit.settings import Settings
from agls.room.allowed_calls import ALLOWED, note_of
from agls.room.process_ports import AuditFile, Tiers
from agls.room.run_ports import RunInfo
from agls.stores.memory import MemoryStore
from support.scenario import (
    NOWHERE,
    FakeClock,
    FakeModel,
    FakeTool,
    Meanwhile,
    asked,
    call,
    check,
    overflow,
    say,
    stop_with,
)

FILE = Settings(file=True, tool=True)


def audit_room(settings: Settings, session: Session, write: AuditFile) -> Feature:
    """The feature of one run of this session."""
    run = RunInfo(session_id=session.session_id)
    return build(settings, run, SessionLog(session.log), write, Tiers(frozenset(), asked_for))


class Written:
    """The room in a scenario, and what it wrote."""

    def __init__(self, *features: Feature, settings: Settings = FILE) -> None:
        self.lines: list[dict[str, Any]] = []
        self.entries: Sequence[Entry] = ()
        self._features, self._settings = features, settings

    def features(self, session: Session) -> Sequence[Feature]:
        journal = session.log.journal
        self.entries = journal.entries()
        room = audit_room(self._settings, session, self._write)
        self.read, self.action, self.room = journal.entries, room.actions[0], room
        return (room, *self._features)

    def _write(self, record: JsonObject, largest: int, keep: int) -> None:
        assert (largest, keep) == (self._settings.max_bytes, self._settings.keep)
        self.lines.append(json.loads(json.dumps(record)))

    @property
    def records(self) -> list[RunRecord]:
        return records(self.read())


def rows(record: RunRecord) -> list[ToolResult]:
    return [ToolResult(r.call.call_id, r.call.name, r.text, r.status) for r in record.calls]


def results(state: State) -> list[ToolResult]:
    return [message for message in state.transcript if isinstance(message, ToolResult)]


@pytest.mark.port("Audit")
@pytest.mark.parametrize("reason", list(StopReason))
async def test_one_audit_record_for_each_of_the_ways_to_end(reason: StopReason) -> None:
    """The record is closed once, and the sum of its tool rows equals the transcript's."""

    async def around(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.call.call_id == "c3":
            view.stop(stop_with(reason))
        return await inner(invocation)

    tools = (FakeTool("look"), FakeTool("write", frozenset()))
    written = Written(Feature(name="stopper", tools=tools, around_tool=around))
    state = await check(
        call(("c1", "look"), ("c2", "write")), call(("c3", "look"), ("c4", "nowhere"), text="and?"),
        features=written.features, facts=None, limits=Limits(max_turns=9), options={"model": "fast"},
    )  # fmt: skip
    (record,) = written.records
    assert (record.stop, status_of(record)) == (stop_with(reason), str(reason))
    assert rows(record) == results(state)
    assert len(rows(record)) == 4
    assert record.used == state.run
    assert record.output == "and?"
    (line,) = written.lines
    assert line == json.loads(json.dumps(as_json(record, line["sessionId"])))
    assert (line["runId"], line["status"], line["tier"]) == (state.run_id, reason, "fast")
    assert line["limits"] == {"max_turns": 9}
    assert line["inputs"] == [{"type": "text", "text": "go"}]
    assert line["used"]["turns"] == 2
    assert line["seconds"] > 0
    assert line["endedAt"] > line["startedAt"] > line["admittedAt"] - 1
    assert [c["callId"] for step in line["steps"] for c in step["toolCalls"]] == ["c1", "c2", "c3", "c4"]


async def test_record_has_the_models_reason_to_end_and_its_tokens() -> None:
    usage = Usage(10, 5, 2)
    written = Written(Feature(name="tools", tools=(FakeTool("look"),)))
    state = await check(
        call(("c1", "look")), say("cut", finish="length", usage=usage), features=written.features, facts=None
    )
    (line,) = written.lines
    assert (line["status"], line["output"]) == ("max_tokens", "cut")
    assert line["used"]["inputTokens"] == state.run.input_tokens == 10
    assert line["used"]["thinkingTokens"] == 2
    assert line["used"]["costUsd"] is None, "the price of a call is not known"


async def test_a_crash_of_a_feature_is_an_error_in_the_record() -> None:
    async def broken(view: RunView) -> Sequence[Stop]:
        raise RuntimeError("no paper")

    written = Written(Feature(name="broken", before_turn=broken))
    await check(features=written.features, facts=None)
    (line,) = written.lines
    assert (line["status"], line["error"]) == ("internal_error", "internal")
    assert "no paper" in line["detail"]


async def test_record_names_other_events_with_their_data() -> None:
    async def gate(view: RunView) -> Sequence[LimitsChanged]:
        if view.state.run.turns == 0:
            view.note("room", "kind", {"n": 1})
            return (LimitsChanged(Limits(max_turns=3)),)
        return ()

    async def steer(scene: Meanwhile) -> None:
        await scene.until_fact(ToolStarted)
        await scene.session.steer((Text("left"), Image("AAAA", "image/png")))
        go_on.set()

    go_on = asyncio.Event()

    async def wait(context: Any) -> None:
        await go_on.wait()

    written = Written(Feature(name="gate", before_turn=gate, tools=(FakeTool("look", body=wait),)))
    await check(
        call(("c1", "look")), overflow(), overflow(), features=written.features, facts=None, meanwhile=steer
    )
    (line,) = written.lines
    assert [event["name"] for event in line["events"]] == [
        "room.kind", "limitsChanged", "steered", "overflowed"
    ]  # fmt: skip
    assert line["events"][0]["data"] == {"n": 1}
    image = {"type": "image", "mimeType": "image/png", "base64Chars": 4}
    assert line["events"][2]["data"] == {
        "origin": "user",
        "content": [{"type": "text", "text": "left"}, image],
    }
    assert line["status"] == "context_full"


@pytest.mark.port("Audit")
async def test_live_progress_is_readable_during_the_run() -> None:
    """By the action, and by the model itself."""
    seen: list[RunRecord] = []

    async def look(context: Any) -> None:
        seen.extend(written.records)

    written = Written(Feature(name="tools", tools=(FakeTool("look", body=look),)))
    state = await check(
        call(("c1", "look")), call(("c2", "run_status")), say(), features=written.features, facts=None,
        limits=Limits(max_turns=7),
    )  # fmt: skip
    (record,) = seen
    assert (status_of(record), record.stop, record.ended) == ("running", None, None)
    assert [row.status for row in record.calls] == [""]
    told = results(state)[1].text
    assert "running; " in told
    assert "2 of 7 turns, 2 tool calls (0 failed)" in told


async def test_one_turn_is_not_counted_as_several() -> None:
    written = Written()
    await check(say(), features=written.features, facts=None)
    assert " s, 1 turn, 0 tool calls " in page(written.records)


async def test_the_tool_is_not_in_the_palette_unless_it_is_asked_for() -> None:
    written = Written(settings=Settings())
    await check(say(), features=written.features, facts=None)
    assert not written.lines
    assert len(written.records) == 1
    assert written.room.tools == ()
    written = Written(settings=FILE)
    await check(say(), features=written.features, facts=None)
    assert [tool.spec.name for tool in written.room.tools] == ["run_status"]


async def test_a_file_that_cannot_be_written_changes_nothing() -> None:
    def full(record: JsonObject, largest: int, keep: int) -> None:
        raise OSError("no space")

    def features(session: Session) -> Sequence[Feature]:
        return (audit_room(FILE, session, full),)

    done = ["run started", "took in user: go", "turn", "replied done", "ended end_turn"]
    await check(say(), features=features, facts=done)


async def test_unrecorded_runs_are_recorded_once_by_the_next() -> None:
    """A run that was taken out of the queue, one whose process died, one that could not begin."""
    store, broken = MemoryStore(), [True, False, True, False]
    written = Written()

    def build_run(session: Session, admitted: Any) -> RunSetup:
        if broken.pop(0):
            raise RuntimeError("no configuration")
        return RunSetup((*written.features(session),), FakeModel([say(), say()]), NOWHERE)

    async with Sessions(store, build_run, FakeClock()) as sessions:
        session = await sessions.create("/project")
        for _ in range(2):
            await session.finished((await session.prompt((Text("go"),))).run_id)
        assert [line["status"] for line in written.lines] == ["internal_error", "end_turn"]
        for _ in range(2):
            await session.finished((await session.prompt((Text("go"),))).run_id)
        assert [line["status"] for line in written.lines[2:]] == ["internal_error", "end_turn"]
        assert len({line["runId"] for line in written.lines}) == 4


async def test_a_run_that_a_crash_cut_off_has_one_closed_record() -> None:
    store = MemoryStore()
    written = Written(Feature(name="tools", tools=(FakeTool("look"),)))
    state = await check(call(("c1", "look")), say(), features=written.features, facts=None)
    whole = written.read()
    started = next(n for n, entry in enumerate(whole, 1) if isinstance(entry.fact, ToolStarted))
    journal = store.create("ses_cut")
    journal.append(*whole[:started])
    journal.close()

    def build_run(session: Session, admitted: Any) -> RunSetup:
        return RunSetup((*written.features(session),), FakeModel([say("again")]), NOWHERE)

    written.lines.clear()
    async with Sessions(store, build_run, FakeClock()) as sessions:
        session = await sessions.open("ses_cut")
        (cut,) = records(session.log.journal.entries())
        assert (status_of(cut), due([cut])) == ("interrupted", [cut])
        assert rows(cut) == results(session.state)
        assert "outcome of this call is unknown" in rows(cut)[0].text
        await session.finished((await session.prompt((Text("on"),), recovers=state.run_id)).run_id)
    assert [line["status"] for line in written.lines] == ["interrupted", "end_turn"]
    assert written.lines[1]["recovers"] == state.run_id


async def test_a_waiting_run_that_is_cancelled_has_a_record_without_a_beginning() -> None:
    async def cancel_the_second(scene: Meanwhile) -> None:
        await asked(scene.session)
        second = await scene.session.prompt((Text("second"),))
        scene.session.cancel(second.run_id)
        await scene.session.finished(second.run_id)
        scene.session.cancel()

    async def hang() -> None:
        await asyncio.Event().wait()

    written = Written()
    await check([hang], features=written.features, facts=None, meanwhile=cancel_the_second)
    assert [(line["status"], line["startedAt"] is None) for line in written.lines] == [
        ("cancelled", True), ("cancelled", False)
    ]  # fmt: skip


async def test_the_action_gives_all_runs_or_one() -> None:
    written = Written()
    state = await check(say("all done"), features=written.features, facts=None)
    context: Any = ActionContext("ses", state, NOWHERE, *[None] * 6)
    outcome = await written.action({}, context)
    assert "**go**" in outcome.text
    assert ": done; " in outcome.text
    assert outcome.data
    assert outcome.data["records"][0]["output"] == "all done"
    assert (await written.action({"run": state.run_id}, context)).data == outcome.data
    with pytest.raises(ActionError, match="no run"):
        await written.action({"run": "run_x"}, context)


def test_an_end_is_counted_once_and_a_run_of_a_newer_version_is_not_lost() -> None:
    first, second = Stop(StopReason.END_TURN), Stop(StopReason.CANCELLED)
    facts = [
        RunStarted("run_1"),
        RunEnded("run_1", first),
        RunEnded("run_1", second),
        Steered("i", "run_1", ()),
    ]
    (record,) = records([Entry(n, float(n), fact) for n, fact in enumerate(facts, 1)])
    assert (record.stop, record.ended, record.events) == (first, 2.0, [])


async def test_row_says_what_let_the_call_run() -> None:
    """By the note of the gate; what the user answers is tested where a user can be asked."""

    async def gate(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if invocation.call.call_id == "c1":
            view.note("gate", ALLOWED, note_of("c1", "the rule look(*)"))
            return await inner(invocation)
        return ToolOutcome("No.", status="rejected", refused_by="mode")

    tools = (FakeTool("look"),)
    written = Written(Feature(name="gate", tools=tools, around_tool=gate))
    await check(call(("c1", "look"), ("c2", "look")), say(), features=written.features, facts=None)
    (record,) = written.records
    assert [(row.allowed_by, row.refused_by) for row in record.calls] == [
        ("the rule look(*)", ""),
        ("", "mode"),
    ]
    assert "| completed | the rule look(*) |" in page([record])
    assert "| rejected | mode |" in page([record])
