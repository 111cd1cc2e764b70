"""Properties of the translation: whatever happens in a session, its wire events tell the same story."""

import asyncio
import itertools
import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agls.engine.facts import (
    Admitted,
    Cut,
    Entry,
    Fact,
    Notice,
    QueueChanged,
    Replied,
    Retrying,
    RunEnded,
    RunStarted,
    SessionChanged,
    Steered,
    TakenIn,
    TextDelta,
    ToolDelta,
    ToolFinished,
    ToolStarted,
    Transient,
    TurnStarted,
    Unknown,
)
from agls.engine.feature import Feature, RunSetup, RunView
from agls.engine.log import Log
from agls.engine.ports import Effect, ModelError
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State, fold_all
from agls.engine.vocabulary import (
    Answer,
    AssistantMessage,
    Question,
    Stop,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
    UserMessage,
)
from agls.order import NOTES
from agls.stores.memory import MemoryStore
from agls.views.project import Projection
from agls.views.session_history import SessionHistory
from agls.views.transcript import Transcript, fold
from agls.views.values import content_blocks, plain_text
from support.eventful import journal_of
from support.scenario import NOWHERE, FakeClock, FakeModel, FakeTool, call, overflow, say
from support.wire_rules import check_events

Wire = dict[str, Any]
SAID = (Text("go"),)


def translated(entries: Sequence[Entry], projection: Projection | None = None) -> list[Wire]:
    projection = projection or Projection(NOTES, "ses", "epoch")
    return [event for entry in entries for event in projection.events(entry)]


def numbered(*facts: Fact) -> list[Entry]:
    return [Entry(seq, 1.0, fact) for seq, fact in enumerate(facts, 1)]


def told_by_state(state: State) -> list[tuple[str, Any]]:
    """The transcript of a state: who said what, and how each call went."""
    told: list[tuple[str, Any]] = []
    for message in state.transcript:
        match message:
            case UserMessage(origin="user"):
                told.append(("userMessage", content_blocks(message.content)))
            case UserMessage():
                told.append(("notice", plain_text(message.content)))
            case AssistantMessage(text=text, cut=cut) if text:
                told.append(("message", (text, "cancelled" if cut else "completed")))
            case ToolResult(call_id):
                told.append(("toolCall", (call_id, message.status)))
            case _:
                pass
    return sorted(told, key=repr)


def told_by_events(transcript: Transcript) -> list[tuple[str, Any]]:
    """The same, as a client has it."""
    told: list[tuple[str, Any]] = []
    for item in transcript.items.values():
        match item["kind"]:
            case "userMessage":
                told.append(("userMessage", item["content"]))
            case "notice":
                told.append(("notice", item["text"]))
            case "message" if not item.get("discarded"):
                told.append(("message", (item["text"], item["status"])))
            case "toolCall":
                told.append(("toolCall", (item["itemId"], item["status"])))
            case _:
                pass
    return sorted(told, key=repr)


def users_in(told: Sequence[Any]) -> list[str]:
    return [plain_text(m.content) for m in told if isinstance(m, UserMessage) and m.origin == "user"]


# --- scenes at random ----------------------------------------------------------------------------

TURNS = st.sampled_from(["say", "call", "two calls", "write", "ask", "break", "overflow", "hang", "think"])
DEEDS = st.sampled_from(
    ["prompt", "queue", "steer", "steer", "cancel", "drop", "interrupt", "answer", "breathe", "breathe"]
)


def made(kind: str, number: int) -> list[Any]:
    """One turn of the model."""
    turns: dict[str, Callable[[], list[Any]]] = {
        "say": lambda: [TextDelta("", "so "), *say(f"so {number}")[1:]],
        "call": lambda: call((f"c{number}", "look"), text="I look"),
        "two calls": lambda: call((f"c{number}", "look"), (f"d{number}", "look")),
        "write": lambda: call((f"c{number}", "write")),
        "ask": lambda: call((f"c{number}", "ask")),
        "break": lambda: [TextDelta("", "half"), ModelError("reset", kind="network")],
        "overflow": overflow,
        "hang": lambda: [TextDelta("", "I beg"), asyncio.Event().wait],
        "think": lambda: [Replied("", f"so {number}", thinking="hm")],
    }
    return turns[kind]()


async def act(session: Session, deed: str) -> None:
    match deed:
        case "prompt" | "queue":
            await session.prompt((Text(deed),))
        case "interrupt":
            await session.prompt((Text("now"),), "interrupt")
        case "steer":
            await session.steer((Text("left"),), if_ended="return")
        case "cancel" | "drop":
            session.cancel(queued="drop" if deed == "drop" else "keep")
        case "answer":
            for request_id in list(session.state.questions):
                session.questions.answer(request_id, Answer("dismissed", by="test"))
        case _:
            for _ in range(7):
                await asyncio.sleep(0)


def built(model: FakeModel) -> Callable[[Session, Admitted], RunSetup]:
    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        async def ask(invocation: Any, view: RunView, inner: Any) -> ToolOutcome:
            if invocation.call.name == "ask":
                await session.questions.ask(Question("permission", "May I?", call_id=invocation.call.call_id))
            return await inner(invocation)

        tools = (FakeTool("look"), FakeTool("write", frozenset({Effect.WRITES})), FakeTool("ask"))
        return RunSetup((Feature(name="f", around_tool=ask, tools=tools),), model, NOWHERE)

    return build_run


async def play(turns: Sequence[str], deeds: Sequence[str]) -> tuple[list[list[Wire]], Sequence[Entry], State]:
    """The notifications, the facts and the state of a session in which these things happen."""
    model = FakeModel([made(kind, number) for number, kind in enumerate([*turns, *["say"] * 40])])
    told: list[list[Wire]] = []
    async with Sessions(MemoryStore(), built(model), FakeClock()) as sessions:
        session = await sessions.create("/project")
        projection = Projection(NOTES, "ses", "epoch")
        told.append(translated(session.log.journal.entries(), projection))

        def look(event: Entry | Transient, state: State) -> None:
            is_fact = isinstance(event, Entry)
            told.append(projection.events(event) if is_fact else projection.transient(event, 1.0))

        session.log.subscribe(look)
        session.questions.attend(True)
        for deed in ("prompt", *deeds):
            await act(session, deed)
    return told, session.log.journal.entries(), session.state


@settings(max_examples=150, deadline=None)
@given(st.lists(TURNS, max_size=5), st.lists(DEEDS, max_size=8))
def test_events_of_a_client_agree_with_the_state(turns: list[str], deeds: list[str]) -> None:
    told, entries, state = asyncio.run(play(turns, deeds))
    events = list(itertools.chain(*told))
    check_events(events)
    live, again = fold(json.loads(json.dumps(events))), fold(translated(entries))
    assert told_by_events(live) == told_by_state(state) == told_by_events(again)
    users = [item for item in live.items.values() if item["kind"] == "userMessage"]
    assert [item["content"][0]["text"] for item in users] == users_in(state.transcript)
    assert live.seq == state.seq
    if not state.queue:  # else the session was closed before the next run could begin
        assert (live.state, live.queue) == ("idle", [])
    assert live.runs == again.runs
    history = SessionHistory(NOTES, Log(journal_of(entries), FakeClock(), state))
    history.catch_up()
    for run_id, ended in live.runs.items():
        assert history.end_of(run_id) == ended
    assert [held.item for held in history.shown()] == [*reversed(again.items.values())]


@settings(max_examples=40, deadline=None)
@given(st.lists(TURNS, max_size=4), st.lists(DEEDS, max_size=5), st.data())
def test_projection_that_begins_later_gives_the_same_rest(
    turns: list[str], deeds: list[str], data: Any
) -> None:
    _, entries, _ = asyncio.run(play(turns, deeds))
    cut = data.draw(st.integers(0, len(entries)))
    whole = [e for e in translated(entries) if e.get("seq", 0) > cut]
    rest = translated(entries[cut:], Projection(NOTES, "ses", "epoch", fold_all(entries[:cut])))
    rest = [e for e in rest if "seq" in e]
    skip = {"turnEnded", "recorded", "runEnded", "queueChanged"}  # they sum up what was heard before

    def plain(events: Sequence[Wire]) -> list[Any]:
        return [{n: v for n, v in e.items() if n != "turnId"} for e in events if e["type"] not in skip]

    assert plain(rest) == plain(whole)


@settings(max_examples=60, deadline=None)
@given(st.lists(TURNS, max_size=4), st.lists(DEEDS, max_size=6), st.data())
def test_a_client_that_was_away_knows_the_same_afterwards(
    turns: list[str], deeds: list[str], data: Any
) -> None:
    """Cut off behind any notification, it asks for everything behind the last fact it heard of."""
    told, entries, _ = asyncio.run(play(turns, deeds))
    heard = fold(itertools.chain(*told[: data.draw(st.integers(0, len(told)))]))
    cursor = heard.seq
    for event in translated(entries):
        if event.get("seq", event.get("after", 0)) > cursor:
            heard.take(event)
    there = fold(itertools.chain(*told))
    for known in (heard, there):
        known.items = {i: item for i, item in known.items.items() if not item.get("discarded")}
    assert heard.items == there.items
    assert (heard.runs, heard.requests, heard.queue) == (there.runs, there.requests, there.queue)
    assert (heard.seq, heard.state) == (there.seq, there.state)


@settings(max_examples=40, deadline=None)
@given(st.lists(TURNS, max_size=4), st.lists(DEEDS, max_size=5), st.data())
def test_facts_of_a_newer_version_are_no_obstacle(turns: list[str], deeds: list[str], data: Any) -> None:
    """Any fact may be one that only a newer version reads; `seq` has no hole all the same."""
    _, entries, _ = asyncio.run(play(turns, deeds))
    unknown = data.draw(st.sets(st.integers(1, len(entries))))
    strange = [Entry(e.seq, e.at, Unknown("new", {})) if e.seq in unknown else e for e in entries]
    events = translated(strange)
    assert sorted({event["seq"] for event in events if "seq" in event}) == [e.seq for e in entries]
    fold(events)


# --- what was wrong once -------------------------------------------------------------------------

BEGUN: tuple[Fact, ...] = (SessionChanged("/project"), Admitted("run_1", "item_1", SAID), RunStarted("run_1"))


@pytest.mark.parametrize("injected", [True, False])
def test_messages_that_no_request_took_in_come_when_the_run_ends(injected: bool) -> None:
    taken = (TakenIn(("item_1",)),) if injected else ()
    late = (Steered("item_2", "run_1", (Text("left"),)), Steered("item_3", "run_1", SAID, origin="critic"))
    entries = numbered(*BEGUN, *taken, *late, RunEnded("run_1", Stop(StopReason.CANCELLED)))
    events = translated(entries)
    check_events(events)
    items = list(fold(events).items.values())
    assert [(item["itemId"], item["kind"], item.get("steer")) for item in items] == [
        ("item_1", "userMessage", None), ("item_2", "userMessage", True), ("item_3", "notice", None),
    ]  # fmt: skip
    assert {event["type"] for event in events[-2:]} == {"runEnded", "sessionState"}
    assert told_by_events(fold(events)) == told_by_state(fold_all(entries))


def test_client_that_joins_before_a_prompt_is_taken_in_does_not_see_it_as_a_steer() -> None:
    begun = (*BEGUN[:2], RunStarted("run_1", item_ids=()))  # as journals of format 1 have it
    projection = Projection(NOTES, "ses", "epoch", fold_all(numbered(*begun)))
    [event, _] = projection.events(Entry(4, 1.0, TakenIn(("item_1",))))
    assert "steer" not in event["data"]["item"]


def test_run_left_by_a_dead_process_can_be_dropped() -> None:
    """Left by a process that died: nothing begins by itself, whatever is removed."""
    left = (Admitted("run_1", "item_1", SAID), Admitted("run_2", "item_2", SAID))
    state = fold_all(numbered(SessionChanged("/project"), *left))
    projection = Projection(NOTES, "ses", "epoch", state)
    cancelled = Stop(StopReason.CANCELLED)
    events = projection.events(Entry(4, 1.0, QueueChanged(("run_2",))))
    events += projection.events(Entry(5, 1.0, RunEnded("run_1", cancelled)))
    events += projection.events(Entry(6, 1.0, Admitted("run_3", "item_3", SAID)))
    queues = [[w["runId"] for w in e["data"]["queue"]] for e in events if e["type"] == "queueChanged"]
    assert queues == [["run_2"], ["run_3"]]
    assert [e["data"]["admission"] for e in events if e["type"] == "runAdmitted"] == ["queued"]


def test_a_call_whose_reply_is_unknown_is_an_item_too() -> None:
    facts = (ToolStarted("c1", "look", {"path": "a"}), ToolFinished("c1", ToolOutcome("seen")))
    events = translated(numbered(*BEGUN, *facts, ToolFinished("c2", ToolOutcome("?"))))
    assert fold(events).items["c1"]["output"] == "seen"
    assert events[-1]["data"] == {"fact": "toolFinished"}


def test_flood_of_output_is_kept_in_little_memory_and_completed_with_its_ends() -> None:
    projection = Projection(NOTES, "ses", "epoch")
    reply = Replied("item_2", "", tool_calls=(ToolCall("c1", "shell", {}),))
    begun = numbered(*BEGUN, TurnStarted("t", "m"), reply, ToolStarted("c1", "shell", {}))
    events = translated(begun, projection)
    printed = 0
    for number in range(3_000):
        line = f"{number:06d} é" + "x" * 990 + "\n"
        printed += len(line.encode())
        [delta] = projection.transient(ToolDelta("c1", line), 1.0)
        assert delta["data"]["offset"] == printed - len(line.encode())
    kept = projection._items._open["c1"]  # pyright: ignore[reportPrivateUsage]
    assert sum(map(len, kept._pieces)) < 200_000  # pyright: ignore[reportPrivateUsage]
    item = projection.open_items()[0]
    assert item["output"].startswith("000000 é")
    assert item["output"].endswith("x\n")
    shown = item["output"].replace(f"\n[… {item['truncated']} bytes left out …]\n", "")
    assert len(shown.encode()) + item["truncated"] == printed
    events += projection.events(Entry(7, 1.0, RunEnded("run_1", Stop(StopReason.INTERRUPTED))))
    check_events(events)
    ended = fold(events).items["c1"]
    assert ended["truncated"] == item["truncated"]
    assert ended["output"].count("bytes left out") == 1
    assert len(ended["output"]) < 70_000


def test_text_of_the_model_is_kept_whole() -> None:
    projection = Projection(NOTES, "ses", "epoch")
    translated(numbered(*BEGUN, TurnStarted("t", "m")), projection)
    for _ in range(100):
        projection.transient(TextDelta("item_2", "é" * 1_000), 1.0)
    assert projection.open_items()[0]["text"] == "é" * 100_000
    [gap, update] = projection.caught_up({"item_2": 4, "item_9": 4}, 2.0)
    assert (gap["type"], gap["after"], gap["runId"]) == ("gap", 4, "run_1")
    assert gap["data"] == {"from": 4, "to": 4, "itemIds": ["item_2"]}
    assert update["data"]["patch"] == {"text": "é" * 100_000}
    assert projection.caught_up({"item_9": 4}, 2.0) == []


def test_reply_that_is_tried_again_is_completed_with_its_last_text() -> None:
    """Cut by a wrapper that asks another model with the same request."""
    projection = Projection(NOTES, "ses", "epoch")
    events = translated(numbered(*BEGUN, TurnStarted("t", "m")), projection)
    events += projection.transient(TextDelta("item_2", "ba"), 1.0)
    events += projection.events(Entry(5, 1.0, Cut("item_2", "ba", cause="failed")))
    events += projection.transient(Retrying(1, 0.1, "again"), 1.0)
    events += projection.transient(Notice("info", "Trying", "another"), 1.0)
    events += projection.events(Entry(6, 1.0, Replied("item_2", "good")))
    events += projection.events(Entry(7, 1.0, RunEnded("run_1", Stop(StopReason.END_TURN))))
    check_events(events)
    said = [i for i in fold(events).items.values() if i["kind"] == "message" and not i.get("discarded")]
    assert [item["text"] for item in said] == ["good"]
