"""A run has only so much time, and none of it passes while it waits for its human."""

import asyncio

import pytest

from agls.engine.facts import Asked, LimitsChanged, TextDelta
from agls.engine.feature import Feature
from agls.engine.ports import Effect, ToolContext
from agls.engine.session import Session
from agls.engine.vocabulary import Answer, Limits, Question, StopReason
from agls.features.deadline.feature import build
from agls.features.deadline.settings import Settings
from support.jumping import Time
from support.scenario import FakeTool, Meanwhile, Part, call, check, say

pytestmark = pytest.mark.promise("P11")

LIMIT = 600.0  # seconds
IN_TIME = Limits(max_seconds=LIMIT)


@pytest.fixture
async def time(monkeypatch: pytest.MonkeyPatch) -> Time:
    return Time(monkeypatch)


async def for_ever() -> None:
    await asyncio.Event().wait()


def silence() -> list[Part]:
    """A model that begins to answer and says nothing more."""
    return [TextDelta("", "begun"), for_ever]


async def test_a_run_in_time_is_left_alone() -> None:
    facts = ["run started", "took in user: go", "turn", "replied done", "ended end_turn"]
    await check(say(), facts=facts, features=[build(Settings())], limits=IN_TIME)


async def test_a_run_that_takes_too_long_is_stopped_whatever_it_does(time: Time) -> None:
    async def meanwhile(scene: Meanwhile) -> None:
        await scene.until(lambda event: isinstance(event, TextDelta))
        await time.jump(LIMIT - 60)
        assert scene.session.state.running
        await time.jump(61)

    state = await check(
        silence(),
        facts=["run started", "took in user: go", "turn", "cut cancelled begun", "ended timeout"],
        features=[build(Settings())],
        limits=IN_TIME,
        meanwhile=meanwhile,
    )
    assert state.stop is not None
    assert state.stop.reason is StopReason.TIMEOUT
    assert state.stop.detail == (
        "The time limit of 600 seconds is reached. Give it more time with --max-seconds, or [budget] "
        "max_seconds in the settings."
    )


async def test_no_model_call_without_time_left() -> None:
    facts = ["run started", "took in user: go", "ended timeout"]
    await check(facts=facts, features=[build(Settings())], limits=Limits(max_seconds=0))


async def test_time_stands_still_while_a_question_is_open(time: Time) -> None:
    def features(session: Session) -> list[Feature]:
        async def ask(context: ToolContext) -> None:
            await session.questions.ask(Question("form", "Which colour?"))

        return [
            build(Settings()),
            Feature(name="tools", tools=(FakeTool("ask", frozenset({Effect.WRITES}), ask),)),
        ]

    async def meanwhile(scene: Meanwhile) -> None:
        await scene.until_fact(Asked)
        await time.jump(10 * LIMIT)
        assert scene.session.state.running
        (request_id,) = scene.session.state.questions
        scene.session.questions.answer(request_id, Answer("declined"))
        await scene.until(lambda event: isinstance(event, TextDelta))
        await time.jump(LIMIT - 60)
        assert scene.session.state.running
        await time.jump(61)

    state = await check(
        call(("c1", "ask")),
        silence(),
        facts=None,
        features=features,
        limits=IN_TIME,
        meanwhile=meanwhile,
        attended=True,
    )
    assert state.stop is not None
    assert state.stop.reason is StopReason.TIMEOUT


async def test_a_limit_that_is_moved_in_mid_run_is_the_one_that_counts(time: Time) -> None:
    async def meanwhile(scene: Meanwhile) -> None:
        await scene.until(lambda event: isinstance(event, TextDelta))
        scene.session.log.record(LimitsChanged(Limits(max_seconds=3 * LIMIT)))
        await time.jump(2 * LIMIT)
        assert scene.session.state.running
        scene.session.log.record(LimitsChanged(Limits()))
        await time.jump(2 * LIMIT)
        assert scene.session.state.running
        scene.session.log.record(LimitsChanged(Limits(max_seconds=5 * LIMIT)))
        await time.jump(LIMIT + 1)

    state = await check(
        silence(), facts=None, features=[build(Settings())], limits=IN_TIME, meanwhile=meanwhile
    )
    assert state.stop is not None
    assert state.stop.reason is StopReason.TIMEOUT
    assert state.stop.detail.startswith("The time limit of 3000 seconds is reached. Give it more time with")
