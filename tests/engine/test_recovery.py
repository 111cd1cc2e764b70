"""What a crash cut off is gone on with: in order, with what is left of its limits, and counted exactly."""

from typing import Any

import pytest

from agls.engine.facts import (
    Admitted,
    Answered,
    Asked,
    Cut,
    Entry,
    Fact,
    Replied,
    RunEnded,
    RunStarted,
    SessionChanged,
    ToolStarted,
    TurnStarted,
)
from agls.engine.feature import Feature, RunSetup
from agls.engine.limits import Totals
from agls.engine.recovery import attempts, continue_interrupted, interrupted_run, left_of
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import fold_all
from agls.engine.vocabulary import Answer, Limits, Question, Stop, StopReason, Text, ToolCall, Usage
from agls.stores.memory import MemoryStore
from support.scenario import NOWHERE, FakeClock, FakeModel, FakeTool, call, paired, say, words

GONE = Stop(StopReason.INTERRUPTED)
DONE = Stop(StopReason.END_TURN)
PROMPT = (Text("go"),)
FREE = Limits()


def entries_of(*timed: Fact | tuple[float, Fact]) -> list[Entry]:
    pairs = [fact if isinstance(fact, tuple) else (0.0, fact) for fact in timed]
    return [Entry(seq, at, fact) for seq, (at, fact) in enumerate(pairs, 1)]


def store_with(*facts: Fact) -> MemoryStore:
    """A store with one session, whose process died after these facts."""
    store = MemoryStore()
    journal = store.create("ses_1")
    journal.append(*entries_of(SessionChanged("/project"), *facts))
    journal.close()
    return store


def opened(
    store: MemoryStore, model: FakeModel, usual: Limits = FREE, asked: Limits = FREE
) -> tuple[Sessions, list[Limits]]:
    given: list[Limits] = []

    def build_run(session: Session, admitted: Admitted) -> RunSetup:
        given.append(left_of(session.state, admitted, usual, asked))
        return RunSetup((), model, NOWHERE, given[-1])

    return Sessions(store, build_run, FakeClock()), given


@pytest.mark.port("Checkpointer")
async def test_interrupted_run_continues_before_a_waiting_prompt() -> None:
    """In the same session, without new input."""
    store = store_with(
        Admitted("run_1", "item_1", PROMPT), RunStarted("run_1"), Admitted("run_2", "item_2", (Text("two"),))
    )
    model = FakeModel([say("one"), say("two")])
    sessions, _ = opened(store, model)
    async with sessions:
        session = await sessions.open("ses_1")
        assert interrupted_run(session.state) == "run_1"
        run_id = await continue_interrupted(session)
        await session.finished(run_id)
        await session.finished("run_2")
        assert session.state.run_id == "run_2"
        started = [e.fact.run_id for e in session.log.journal.entries() if isinstance(e.fact, RunStarted)]
        assert started == ["run_1", run_id, "run_2"]
        assert await continue_interrupted(session) == "", "there is nothing left"
    assert [words(m.content) for m in model.requests[0].messages if hasattr(m, "content")] == ["go"]


async def test_a_process_that_died_before_it_went_on_left_what_goes_on_now() -> None:
    """It had admitted the run that goes on, and not begun it: no second one is."""
    goes_on = Admitted("run_3", "item_3", (), recovers="run_1")
    waits = Admitted("run_2", "item_2", (Text("two"),))
    store = store_with(Admitted("run_1", "item_1", PROMPT), RunStarted("run_1"), waits, goes_on)
    model = FakeModel([say("one"), say("two")])
    sessions, _ = opened(store, model)
    async with sessions:
        session = await sessions.open("ses_1")
        assert await continue_interrupted(session) == "run_3"
        await session.finished("run_2")
        started = [e.fact.run_id for e in session.log.journal.entries() if isinstance(e.fact, RunStarted)]
        assert started == ["run_1", "run_3", "run_2"]


async def test_a_prompt_that_never_began_is_begun() -> None:
    model = FakeModel([say()])
    sessions, _ = opened(store_with(Admitted("run_1", "item_1", PROMPT)), model)
    async with sessions:
        session = await sessions.open("ses_1")
        assert await continue_interrupted(session) == "run_1"
        assert (await session.finished("run_1")).stop.reason is StopReason.END_TURN


async def test_recovery_leaves_a_running_run_alone() -> None:
    asked: list[str] = []

    async def look() -> None:
        asked.append(await continue_interrupted(session))

    model = FakeModel([[look, *say()]])
    sessions, _ = opened(MemoryStore(), model)
    async with sessions:
        session = await sessions.create("/project")
        await session.finished((await session.prompt(PROMPT)).run_id)
    assert asked == [""]


LIMITS = Limits(5, 6, 3, 100, 90, 50, 2.0)
SPENT = (
    Admitted("run_1", "item_1", PROMPT),
    RunStarted("run_1", LIMITS),
    TurnStarted("turn_1", "m"),
    Replied("item_2", "", "", (ToolCall("c", "t", {}),), "tool_calls", Usage(10, 20), 0.5),
    ToolStarted("c", "t", {}),
)


@pytest.mark.row(16)
@pytest.mark.parametrize(
    ("usual", "asked", "left"),
    [
        (LIMITS, Limits(), Limits(4, 5, 2, 70, 80, 30, 1.5)),
        (Limits(), Limits(), Limits(4, 5, 2, 70, 80, 30, 1.5)),
        (Limits(max_turns=2), Limits(), Limits(2, 5, 2, 70, 80, 30, 1.5)),
        (Limits(max_turns=50), Limits(max_turns=50), Limits(50, 5, 2, 70, 80, 30, 1.5)),
    ],
)
async def test_continued_run_has_what_is_left_of_its_limits(
    usual: Limits, asked: Limits, left: Limits
) -> None:
    """The limits of a run hold over any number of resumes."""
    sessions, given = opened(store_with(*SPENT), FakeModel([say()]), usual, asked)
    async with sessions:
        session = await sessions.open("ses_1")
        await session.finished(await continue_interrupted(session))
    assert given == [left]


async def test_continued_run_keeps_the_options_it_began_with() -> None:
    """Its options hold on, over any number of deaths; those that are said anew replace them."""
    begun = {"agent": "careful", "mode": "plan", "maxTurns": 3}
    facts = (
        Admitted("run_1", "item_1", PROMPT, "", begun), RunStarted("run_1"), RunEnded("run_1", GONE),
        Admitted("run_2", "", (), "", {"mode": "ask"}, "run_1"), RunStarted("run_2"),
    )  # fmt: skip
    sessions, _ = opened(store_with(*facts), FakeModel([say(), say()]))
    async with sessions:
        session = await sessions.open("ses_1")
        await session.finished(await continue_interrupted(session))
        assert session.state.settings == {**begun, "mode": "ask"}
        await session.finished((await session.prompt(PROMPT)).run_id)
        assert session.state.settings == {}, "the next prompt is another run"


async def test_a_run_that_came_to_an_end_begins_anew() -> None:
    sessions, given = opened(
        store_with(*SPENT, RunEnded("run_1", Stop(StopReason.MAX_TURNS))), FakeModel([say()]), LIMITS
    )
    async with sessions:
        session = await sessions.open("ses_1")
        await session.finished((await session.prompt((), recovers="run_1")).run_id)
    assert given == [LIMITS]


@pytest.mark.parametrize(
    ("before", "usual", "asked", "left"),
    [
        (60.0, 60.0, None, 40.0),
        (60.0, 10.0, None, 10.0),
        (15.0, 60.0, None, 0.0),
        (60.0, 30.0, 30.0, 30.0),
        (60.0, None, None, 40.0),
        (None, None, None, None),
    ],
)
async def test_continued_run_has_the_rest_of_its_seconds_unless_others_are_given(
    before: float | None, usual: float | None, asked: float | None, left: float | None
) -> None:
    store = MemoryStore()
    journal = store.create("ses_1")
    began = RunStarted("run_1", Limits(max_seconds=before))
    timed = zip((1.0, 2.0, 5.0, 25.0), (SessionChanged("/project"), SPENT[0], began, SPENT[2]), strict=True)
    journal.append(*entries_of(*timed))
    journal.close()
    sessions, given = opened(store, FakeModel([say()]), Limits(max_seconds=usual), Limits(max_seconds=asked))
    async with sessions:
        session = await sessions.open("ses_1")
        await session.finished(await continue_interrupted(session))
    assert given[0].max_seconds == left


def test_seconds_count_without_questions_pauses_and_steps_back_of_the_clock() -> None:
    question = Question("form", "Name?")
    facts: list[tuple[float, Fact]] = [
        (0.0, Admitted("run_1", "i", ())),
        (10.0, RunStarted("run_1")),
        (13.0, TurnStarted("t", "m")),
        (14.0, Asked("r", question)),
        (90.0, Answered("r", Answer("accepted"))),
        (92.0, Asked("r2", question)),
        (95.0, RunEnded("run_1", GONE)),
        (500.0, Admitted("run_2", "i", (), recovers="run_1")),
        (500.0, RunStarted("run_2")),
        (400.0, TurnStarted("t", "m")),
        (407.0, Cut("i", "so far")),
        (900.0, RunEnded("run_2", GONE)),
    ]
    assert fold_all(entries_of(*facts[:8])).run.seconds == 3 + 1 + 2
    state = fold_all(entries_of(*facts))
    assert (state.run.seconds, state.total.seconds) == (7, 3 + 1 + 2 + 7)
    assert attempts(entries_of(*facts)) == 1


def test_attempts_are_counted_in_a_row() -> None:
    facts: list[Fact] = [Admitted("run_0", "i", PROMPT), RunStarted("run_0"), RunEnded("run_0", GONE)]
    assert attempts(entries_of(*facts)) == 0
    for number in range(1, 4):
        facts += [
            Admitted(f"run_{number}", "i", (), recovers=f"run_{number - 1}"),
            RunStarted(f"run_{number}"),
        ]
        assert attempts(entries_of(*facts)) == number, "the last one is open: its process died"
        facts.append(RunEnded(f"run_{number}", GONE))
    waiting = [Admitted("run_9", "i", PROMPT), RunEnded("run_9", Stop(StopReason.CANCELLED))]
    assert attempts(entries_of(*facts, *waiting)) == 3
    new = [Admitted("run_5", "i", PROMPT), RunStarted("run_5")]
    assert attempts(entries_of(*facts, *new)) == 0
    assert attempts(entries_of(*facts, *new, RunEnded("run_5", DONE))) == 0
    assert attempts([]) == 0


@pytest.mark.row(16, 76)
async def test_counters_are_exact_over_three_resumes() -> None:
    """Resumed three times without a tool call, the counters are what they were."""
    store, tool = MemoryStore(), FakeTool("look")

    def equip_with(model: FakeModel) -> Any:
        return lambda session, admitted: RunSetup((Feature(name="tools", tools=(tool,)),), model, NOWHERE)

    async with Sessions(store, equip_with(FakeModel([call(("c1", "look")), say()])), FakeClock()) as sessions:
        session = await sessions.create("/project")
        session_id = session.session_id
        await session.finished((await session.prompt(PROMPT)).run_id)
        before = session.state.total
    for _ in range(3):
        async with Sessions(store, equip_with(FakeModel([])), FakeClock()) as sessions:
            session = await sessions.open(session_id)
            assert session.state.total == before
            assert (session.state.total.tool_calls, session.state.total.model_calls) == (1, 2)
            assert paired(session.state.transcript)
    assert before != Totals()
    assert tool.ran == 1
