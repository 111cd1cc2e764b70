"""Circles are named once and then stopped."""

from collections.abc import Sequence

import pytest

from agls.engine.feature import Feature
from agls.engine.ports import Effect
from agls.engine.state import State
from agls.engine.vocabulary import StopReason, Text, ToolCall, ToolOutcome, ToolResult
from agls.features.guards import build
from agls.features.guards.settings import Settings
from agls.features.guards.streaks import failures, last_call, lately, repetitions
from support.rooms import FakeDoer, do, injected, use
from support.scenario import Meanwhile, Part, check, say


def outcome(call: ToolCall) -> ToolOutcome:
    bad = call.arguments.get("bad")
    return ToolOutcome("no", status="failed") if bad else ToolOutcome("ok")


async def run(*script: list[Part], settings: Settings | None = None, before: Sequence[Feature] = ()) -> State:
    tools = Feature(name="tools", tools=(FakeDoer("look", Effect.READS, outcome=outcome),))
    return await check(*script, facts=None, features=[build(settings or Settings()), tools, *before])


def failing(start: int, count: int) -> list[list[Part]]:
    return [use(do(f"c{n}", "look", f"v{n}", bad=True)) for n in range(start, start + count)]


def same(start: int, count: int) -> list[list[Part]]:
    return [use(do(f"c{n}", "look", "v")) for n in range(start, start + count)]


async def test_failures_in_a_row_are_named_once_and_then_stop_the_run() -> None:
    state = await run(*failing(0, 9))
    assert state.run.tool_calls == 6
    assert len(injected(state, "guards")) == 1
    assert injected(state, "guards")[0].startswith("3 tool calls failed in a row.")
    assert state.stop is not None
    assert state.stop.reason is StopReason.GUARD
    assert state.stop.detail == "3 tool calls failed in a row. It was told so once and went on."


async def test_the_same_call_again_and_again_is_a_circle_even_when_it_works() -> None:
    state = await run(*same(0, 9))
    assert state.run.tool_calls == 6
    said = "The same call of look with the same arguments was made 3 times in a row."
    assert injected(state, "guards")[0].startswith(said)
    assert state.stop is not None
    assert state.stop.detail.startswith(said)


async def test_the_same_call_twice_in_one_reply_counts_twice() -> None:
    state = await run(use(do("a", "look", "v"), do("b", "look", "v"), do("c", "look", "v")), say())
    assert len(injected(state, "guards")) == 1


@pytest.mark.parametrize(
    "script",
    [
        [*failing(0, 2), use(do("c2", "look", "good")), *failing(3, 2), say()],
        [*same(0, 2), use(do("c2", "look", "w")), *same(3, 2), say()],
        [say()],
    ],
)
async def test_something_else_in_between_begins_a_new_count(script: list[list[Part]]) -> None:
    state = await run(*script)
    assert injected(state, "guards") == []
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


async def test_a_nudge_that_helps_ends_well() -> None:
    state = await run(*failing(0, 3), use(do("c3", "look", "good")), *failing(4, 2), say())
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


async def test_the_numbers_are_settings() -> None:
    state = await run(*failing(0, 9), settings=Settings(failed_calls=1))
    assert state.run.tool_calls == 2
    state = await run(*same(0, 9), settings=Settings(identical_calls=2))
    assert state.run.tool_calls == 4


async def test_the_user_begins_a_new_count_and_other_voices_do_not() -> None:
    async def speak(scene: Meanwhile) -> None:
        async def steer() -> None:
            await scene.session.steer((Text("try the other file"),))

        scene.model.turns[4].insert(0, steer)

    tools = Feature(name="tools", tools=(FakeDoer("look", Effect.READS, outcome=outcome),))
    state = await check(
        *failing(0, 7), say(), facts=None, features=[build(Settings()), tools], meanwhile=speak
    )
    assert len(injected(state, "guards")) == 1, "5 failed, 1 nudge, then the user spoke: 2 more are no circle"
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


def test_every_number_is_at_least_one() -> None:
    with pytest.raises(ValueError, match="greater than 0"):
        Settings(failed_calls=0)


def test_a_conversation_without_a_user_is_counted_from_its_beginning() -> None:
    failed = ToolResult("c1", "look", "no", "failed")
    assert lately([failed]) == ([failed], False)
    assert failures([failed]) == 1
    assert (repetitions([failed]), last_call([failed])) == (0, "")


def test_what_a_human_refused_is_no_failure() -> None:
    failed, refused = ToolResult("c", "look", "no", "failed"), ToolResult("c", "look", "no", "rejected")
    assert failures([refused, refused, refused]) == 0
    assert failures([failed, refused, failed]) == 2
