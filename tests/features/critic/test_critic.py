"""Somebody watches whether a run gets anywhere: the four runs of its acceptance check, and more."""

import asyncio
from typing import Any

import pytest

from agls.assembly import SessionLog
from agls.engine.facts import Asked, Entry, LimitsChanged, Steered, TextDelta, Used
from agls.engine.feature import Feature
from agls.engine.ports import Effect, ModelClient, ModelError, ToolContext
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Answer, Limits, Question, StopReason, Usage
from agls.features import critic, deadline
from agls.features.critic.model_verdict import can_pay, read
from agls.features.critic.settings import Settings
from agls.features.critic.verdicts import Verdict
from agls.room.run_ports import Ceilings
from support.budgets import budget_room
from support.jumping import Time
from support.patience import become
from support.rooms import injected
from support.scenario import FakeModel, FakeTool, Meanwhile, Part, call, check, say

SOFT, WAKE, CEILING = 1000.0, 90.0, 21_600.0
IN_TIME = Limits(max_seconds=SOFT)


@pytest.fixture
async def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


class NoModel:
    """There is no model for the critic, or it breaks."""

    def __init__(self, problem: Exception) -> None:
        self._problem = problem

    def resolve(self, name: str) -> ModelClient:
        """There is none."""
        raise self._problem


def rooms(models: Any = None, *tools: FakeTool, most: Limits | None = None, **settings: Any) -> Any:
    said = Settings(enabled=True, wake_after=WAKE, **settings)

    def features(session: Session) -> list[Feature]:
        asked = models or NoModel(ModelError("none", kind="modelNotFound"))
        ceilings = Ceilings(most or Limits(), CEILING)
        room = critic.ROOM.build(said, asked, SessionLog(session.log), ceilings)
        return [
            deadline.ROOM.build(deadline.ROOM.settings()),
            room,
            budget_room(),
            Feature(name="tools", tools=tools),
        ]

    return features


def silence(*parts: Part) -> list[Part]:
    """A model that begins to answer and says nothing more."""
    return [TextDelta("", "begun"), *parts, asyncio.Event().wait]


async def begun(scene: Meanwhile) -> None:
    await scene.until(lambda event: isinstance(event, TextDelta))


def facts_of(scene: Meanwhile, kind: type) -> list[Any]:
    return [e.fact for e in scene.session.log.journal.entries() if isinstance(e.fact, kind)]


@pytest.mark.port("Critic")
async def test_a_stalled_run_is_killed(time: Time) -> None:
    """Stalled and killed."""

    async def meanwhile(scene: Meanwhile) -> None:
        await begun(scene)
        for _ in range(2):
            await time.jump(WAKE + 1)
            assert scene.session.state.running
        assert len(facts_of(scene, Steered)) == 1, "it was told once"
        await time.jump(WAKE + 1)
        await become(lambda: not scene.session.state.running)

    state = await check(silence(), facts=None, features=rooms(), limits=IN_TIME, meanwhile=meanwhile)
    assert state.stop is not None
    assert state.stop.reason is StopReason.KILLED
    assert state.stop.detail.startswith("Nothing happened for 2"), state.stop.detail
    assert state.stop.detail.endswith("the model is being asked.")


@pytest.mark.port("Critic")
async def test_a_slow_run_that_gets_on_is_extended_and_ends_well_past_its_time(time: Time) -> None:
    """Slow but progressing and extended."""
    passed = 0.0

    async def go_on() -> None:
        nonlocal passed
        passed += WAKE - 5
        await time.jump(WAKE - 5)

    slowly: list[Part] = []
    for _ in range(40):
        slowly += [TextDelta("", "more "), go_on]
    state = await check([*slowly, *say("done")], facts=None, features=rooms(), limits=IN_TIME)
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN
    assert passed > 3 * SOFT
    assert state.limits.max_seconds == CEILING, "the hard limit"


@pytest.mark.port("Critic")
async def test_a_nudge_reaches_the_next_request(time: Time) -> None:
    """Nudged, and the text is in the next request."""
    model: list[FakeModel] = []

    async def slow(context: ToolContext) -> None:
        await time.jump(WAKE + 1)
        await time.jump(WAKE + 1)

    async def meanwhile(scene: Meanwhile) -> None:
        model.append(scene.model)

    tool = FakeTool("build", body=slow)
    script = [call(("c1", "build")), say()]
    state = await check(*script, facts=None, features=rooms(None, tool), limits=IN_TIME, meanwhile=meanwhile)
    (said,) = injected(state, "critic")
    assert said.startswith("Nothing happened for 1")
    assert " seconds: build is running. If that cannot end soon" in said
    assert said in str(model[0].requests[1].messages)
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


@pytest.mark.port("Critic")
async def test_a_critic_that_crashes_leaves_the_run_to_the_ceiling(time: Time) -> None:
    """It crashes, and the ceiling ends the run."""

    async def meanwhile(scene: Meanwhile) -> None:
        await begun(scene)
        await time.jump(CEILING - 60)
        assert scene.session.state.running
        await time.jump(61)
        await become(lambda: not scene.session.state.running)

    features = rooms(NoModel(RuntimeError("a bug")), model="fast")
    state = await check(silence(), facts=None, features=features, limits=IN_TIME, meanwhile=meanwhile)
    assert state.stop is not None
    assert (state.stop.reason, state.limits.max_seconds) == (StopReason.TIMEOUT, CEILING)


async def test_the_critics_own_deadline_is_hard_until_it_extends_it(time: Time) -> None:
    async def meanwhile(scene: Meanwhile) -> None:
        await begun(scene)
        assert scene.session.state.limits.max_seconds == 2 * SOFT
        await time.jump(2 * SOFT - 60)
        assert scene.session.state.running
        await time.jump(61)
        await become(lambda: not scene.session.state.running)

    features = rooms(patience=50, deadline=2 * SOFT)
    state = await check(silence(), facts=None, features=features, limits=IN_TIME, meanwhile=meanwhile)
    assert state.stop is not None
    assert state.stop.reason is StopReason.TIMEOUT


async def test_no_time_passes_while_a_question_is_open(time: Time) -> None:
    def features(session: Session) -> list[Feature]:
        async def ask(context: ToolContext) -> None:
            await session.questions.ask(Question("form", "Which colour?"))

        return rooms(None, FakeTool("ask", frozenset({Effect.WRITES}), ask))(session)

    async def meanwhile(scene: Meanwhile) -> None:
        await scene.until_fact(Asked)
        for _ in range(5):
            await time.jump(CEILING)
        (request_id,) = scene.session.state.questions
        scene.session.questions.answer(request_id, Answer("declined"))

    script = [call(("c1", "ask")), say()]
    state = await check(
        *script, facts=None, features=features, limits=IN_TIME, meanwhile=meanwhile, attended=True
    )
    assert state.stop is not None
    assert (state.stop.reason, injected(state, "critic")) == (StopReason.END_TURN, [])


@pytest.mark.parametrize(("more", "most", "turns"), [(2, None, 5), (0, None, 3), (2, 3, 3), (2, 4, 4)])
async def test_a_healthy_run_gets_more_turns_up_to_what_the_policy_allows(
    more: int, most: int | None, turns: int
) -> None:
    tool = FakeTool("look")
    script = [call((f"c{n}", "look")) for n in range(5)]
    features = rooms(None, tool, most=Limits(max_turns=most), more_turns=more)
    if more == 2 and most is None:
        script = [*script[:4], say()]
    state = await check(*script, facts=None, features=features, limits=Limits(max_turns=3))
    assert state.run.turns == turns
    assert state.stop is not None
    assert state.stop.reason is (StopReason.END_TURN if turns == 5 else StopReason.MAX_TURNS)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [('{"action": "kill", "text": "hopeless"}', StopReason.KILLED), ("I cannot say.", StopReason.END_TURN)],
)
async def test_a_model_decides_what_it_can_and_its_call_is_paid_by_the_run(
    time: Time, answer: str, reason: StopReason
) -> None:
    judge = FakeModel([say(answer, usage=Usage(50, 5))])

    async def slow(context: ToolContext) -> None:
        await time.jump(WAKE + 1)
        await become(lambda: len(judge.requests) == judge.closed == 1)

    features = rooms(judge, FakeTool("build", body=slow), model="fast")
    state = await check(call(("c1", "build")), say(), facts=None, features=features, limits=IN_TIME)
    assert state.stop is not None
    assert state.stop.reason is reason
    assert state.used_by["critic"].total_tokens == 55
    assert state.run.input_tokens >= 50
    assert "build is running" in str(judge.requests[0].messages)


@pytest.mark.parametrize(
    "limits", [Limits(max_model_calls=1), Limits(max_cost_usd=0.0), Limits(max_input_tokens=0)]
)
def test_a_critic_that_cannot_be_paid_is_not_asked(limits: Limits) -> None:
    assert not can_pay(State(limits=limits))
    assert can_pay(State())


@pytest.mark.parametrize(
    ("answer", "verdict"),
    [
        ('```json\n{"action": "nudge", "text": "Try X."}\n```', Verdict("nudge", "Try X.")),
        ('{"action": "wait"}', Verdict("wait")),
        ('{"action": "dance", "text": ""}', None),
        ('{"text": "?"}', None),
        ("}{", None),
    ],
)
def test_an_answer_is_read(answer: str, verdict: Verdict | None) -> None:
    assert read(answer) == verdict


async def test_decisions_of_the_critic_are_facts_of_the_run() -> None:
    seen: list[Entry] = []

    def features(session: Session) -> list[Feature]:
        watch = Feature(name="watch", on_fact=lambda entry, state: seen.append(entry))
        return [*rooms()(session), watch]

    await check(say(), facts=None, features=features, limits=IN_TIME)
    assert [e.fact.limits.max_seconds for e in seen if isinstance(e.fact, LimitsChanged)] == [CEILING]
    assert not any(isinstance(e.fact, Used) for e in seen)
