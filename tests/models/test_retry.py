"""Asking again: when, how often, and what is said meanwhile."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing

import pytest

from agls.engine.facts import Replied, Retrying, TextDelta
from agls.models.errors import CallFailed, Failure
from agls.models.retry import Part, RetryPolicy, with_retries
from support.patience import become

DONE = Replied("item_1", "done")
FLAKY = Failure("overloaded", "too busy", is_retryable=True)


class FakeModel:
    """Fails as told, then answers; with `begin` it says a word before it fails."""

    def __init__(self, *failures: Failure, begin: bool = False) -> None:
        self.failures, self.begin, self.asked = list(failures), begin, 0

    async def ask(self) -> AsyncGenerator[Part, None]:
        self.asked += 1
        if self.begin:
            yield TextDelta("item_1", "so")
        if self.failures:
            raise CallFailed(self.failures.pop(0))
        yield DONE


class FakeTime:
    """Sleeps at once and remembers it."""

    def __init__(self, chance: float = 1.0) -> None:
        self.slept: list[float] = []
        self.patience = RetryPolicy(tries=4, sleep=self.sleep, chance=lambda: chance)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def parts_of(model: FakeModel, patience: RetryPolicy) -> list[Part]:
    async with aclosing(with_retries(model.ask, patience)) as parts:
        return [part async for part in parts]


async def test_a_passing_failure_is_announced_waited_for_and_tried_again() -> None:
    time = FakeTime()
    parts = await parts_of(FakeModel(FLAKY, FLAKY), time.patience)
    assert parts == [Retrying(1, 1.0, "too busy"), Retrying(2, 2.0, "too busy"), DONE]
    assert time.slept == [1.0, 2.0]


async def test_failure_is_reported_after_the_last_attempt() -> None:
    model, time = FakeModel(*[FLAKY] * 9), FakeTime()
    with pytest.raises(CallFailed, match="too busy"):
        await parts_of(model, time.patience)
    assert (model.asked, len(time.slept)) == (4, 3)


@pytest.mark.parametrize("kind", ["auth", "quota", "badRequest", "modelNotFound"])
async def test_permanent_failure_is_reported_at_once(kind: str) -> None:
    model, time = FakeModel(Failure(kind, "no")), FakeTime()
    with pytest.raises(CallFailed):
        await parts_of(model, time.patience)
    assert (model.asked, time.slept) == (1, [])


async def test_torn_answer_is_asked_for_once_more_after_it_was_announced() -> None:
    word = TextDelta("item_1", "so")
    parts = await parts_of(FakeModel(FLAKY, begin=True), FakeTime().patience)
    assert parts == [word, Retrying(1, 1.0, "too busy"), word, DONE]


async def test_answer_interrupted_twice_is_reported_with_its_attempts() -> None:
    model, time = FakeModel(FLAKY, FLAKY, begin=True), FakeTime()
    with pytest.raises(CallFailed, match="too busy") as told:
        await parts_of(model, time.patience)
    assert (model.asked, time.slept, told.value.attempts) == (2, [1.0], 2)


async def test_torn_answer_that_would_be_torn_again_is_not_asked_for() -> None:
    model, time = FakeModel(Failure("quota", "no"), begin=True), FakeTime()
    with pytest.raises(CallFailed):
        await parts_of(model, time.patience)
    assert (model.asked, time.slept) == (1, [])


async def test_the_server_is_given_at_least_the_time_it_asks_for() -> None:
    time = FakeTime()
    await parts_of(FakeModel(Failure("rateLimit", "slow", is_retryable=True, wait=48.0)), time.patience)
    assert time.slept == [48.0]


async def test_a_server_that_asks_for_years_is_not_waited_for() -> None:
    time = FakeTime()
    with pytest.raises(CallFailed):
        await parts_of(FakeModel(Failure("rateLimit", "slow", is_retryable=True, wait=3e8)), time.patience)
    assert time.slept == []


@pytest.mark.row(9)
def test_waits_grow_up_to_a_cap_and_vary_by_chance() -> None:
    """The back-off doubles, is capped, and is never the same for all."""
    least, most = RetryPolicy(tries=99, chance=lambda: 0.0), RetryPolicy(tries=99, chance=lambda: 1.0)
    assert [least.delay(FLAKY, n) for n in (1, 2, 3, 50)] == [0.5, 1.0, 2.0, 15.0]
    assert [most.delay(FLAKY, n) for n in (1, 2, 3, 50)] == [1.0, 2.0, 4.0, 30.0]


@pytest.mark.row(40)
async def test_waiting_can_be_cancelled() -> None:
    """The wait before the next try."""
    model = FakeModel(FLAKY)
    task = asyncio.create_task(parts_of(model, RetryPolicy(first=60.0)))
    await become(lambda: model.asked)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert model.asked == 1
