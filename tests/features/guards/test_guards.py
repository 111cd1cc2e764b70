"""Circles are named twice and then stopped; waiting is none."""

from collections.abc import Sequence

import pytest

from agls.engine.feature import Feature
from agls.engine.ports import Effect
from agls.engine.state import State
from agls.engine.vocabulary import (
    AssistantMessage,
    CallStatus,
    Message,
    StopReason,
    Text,
    ToolCall,
    ToolOutcome,
    ToolResult,
)
from agls.features.guards import feature
from agls.features.guards.feature import build
from agls.features.guards.settings import Settings
from agls.features.guards.streaks import stretches
from support.rooms import FakeDoer, do, injected, use
from support.scenario import Meanwhile, Part, check, say

pytestmark = pytest.mark.promise("P11")


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


async def test_failures_in_a_row_are_named_twice_and_then_stop_the_run() -> None:
    state = await run(*failing(0, 12))
    assert state.run.tool_calls == 9
    first, second = injected(state, "guards")
    said = "3 replies in a row had nothing but calls that failed."
    assert first.startswith(said)
    assert "the last warning" not in first
    assert second.startswith(said)
    assert "the run ends if this continues" in second
    assert state.stop is not None
    assert state.stop.reason is StopReason.GUARD
    assert state.stop.detail.startswith(f"{said} It was warned twice and went on.")


async def test_same_call_with_the_same_result_is_a_repetition_even_when_it_works() -> None:
    state = await run(*same(0, 12))
    assert state.run.tool_calls == 9
    said = "The same call of look was made 3 times in a row, with the same result each time."
    assert [text.startswith(said) for text in injected(state, "guards")] == [True, True]
    assert state.stop is not None
    assert state.stop.detail.startswith(said)


async def test_same_call_with_another_result_is_no_repetition() -> None:
    numbers = iter(range(100))
    counter = FakeDoer("look", Effect.READS, outcome=lambda call: ToolOutcome(f"line {next(numbers)}"))
    tools = Feature(name="tools", tools=(counter,))
    state = await check(*same(0, 12), say(), facts=None, features=[build(Settings()), tools])
    assert injected(state, "guards") == []
    assert state.run.tool_calls == 12


async def test_calls_side_by_side_in_one_reply_count_once() -> None:
    misses = [
        use(*(do(f"{reply}{n}", "look", f"v{n}", bad=True) for n in range(count)))
        for reply, count in (("a", 4), ("b", 3))
    ]
    again = use(do("x", "look", "v"), do("y", "look", "v"), do("z", "look", "v"))
    state = await run(*misses, again, say())
    assert injected(state, "guards") == []


async def test_one_call_of_a_reply_that_works_is_enough() -> None:
    mixed = [use(do(f"a{n}", "look", f"v{n}", bad=True), do(f"b{n}", "look", f"w{n}")) for n in range(9)]
    state = await run(*mixed, say())
    assert injected(state, "guards") == []


async def test_polling_a_running_task_is_no_repetition() -> None:
    """A tool that polls says the same for as long as nothing happens."""
    tools = Feature(name="tools", tools=(FakeDoer("look", Effect.READS, outcome=outcome, polls=True),))
    script = [*same(0, 20), *failing(20, 1)]
    state = await check(*script, say(), facts=None, features=[build(Settings()), tools])
    assert injected(state, "guards") == []
    assert state.run.tool_calls == 21


async def test_waiting_with_a_command_is_no_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature, "LONG", 0.0)
    state = await run(*[use(do(f"c{n}", "look", "sleep", bad=True)) for n in range(12)], say())
    assert injected(state, "guards") == []


async def test_different_calls_that_fail_slowly_are_a_circle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feature, "LONG", 0.0)
    state = await run(*failing(0, 12))
    assert state.run.tool_calls == 9


@pytest.mark.parametrize(
    "script",
    [
        [*failing(0, 2), use(do("c2", "look", "good")), *failing(3, 2), say()],
        [*same(0, 2), use(do("c2", "look", "w")), *same(3, 2), say()],
        [say()],
    ],
)
async def test_other_call_in_between_starts_a_new_count(script: list[list[Part]]) -> None:
    state = await run(*script)
    assert injected(state, "guards") == []
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


async def test_a_nudge_that_helps_does_not_count_towards_the_end() -> None:
    good = use(do("g", "look", "good")), use(do("h", "look", "fine"))
    state = await run(*failing(0, 6), good[0], *failing(6, 3), good[1], *failing(9, 3), say())
    assert len(injected(state, "guards")) == 4
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


async def test_guards_follow_the_configured_numbers() -> None:
    state = await run(*failing(0, 9), settings=Settings(failed_calls=1))
    assert state.run.tool_calls == 3
    state = await run(*same(0, 9), settings=Settings(identical_calls=2))
    assert state.run.tool_calls == 6


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
    asked = AssistantMessage("a", "", tool_calls=(ToolCall("c1", "look", {}),))
    (only,) = stretches([asked, ToolResult("c1", "look", "no", "failed")], ())
    assert (only.failures(), only.repetitions(), only.nudged) == (1, 1, False)
    (nothing,) = stretches([], ())
    assert (nothing.failures(), nothing.repetitions(), nothing.is_circle) == (0, 0, False)


def test_call_that_the_user_refused_counts_as_no_failure() -> None:
    def failures(*statuses: CallStatus) -> int:
        messages: list[Message] = []
        for number, status in enumerate(statuses):
            call = ToolCall(f"c{number}", "look", {"n": number})
            messages += [AssistantMessage("a", "", tool_calls=(call,))]
            messages += [ToolResult(call.call_id, "look", "no", status)]
        return stretches(messages, ())[0].failures()

    assert failures("rejected", "rejected", "rejected") == 0
    assert failures("failed", "rejected", "failed") == 2
