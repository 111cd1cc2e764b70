"""Natural batching: what is there travels on at once, as one piece, and nothing waits for more."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

import pytest

from agls.models.http.batches import batched

Step = bytes | float | Exception  # a chunk, a wait in seconds, or the end


class Source:
    """Chunks and waits, one after the other; remembers how it was left."""

    def __init__(self, *steps: Step, slow: bool = False) -> None:
        self._steps, self._slow, self.closed = steps, slow, False

    async def read(self) -> AsyncGenerator[bytes, None]:
        try:
            for step in self._steps:
                if isinstance(step, float):
                    await asyncio.sleep(step)
                elif isinstance(step, Exception):
                    raise step
                else:
                    yield step
        finally:
            self.closed = True
            if self._slow:
                await asyncio.sleep(0)  # as closing a connection does


@pytest.mark.parametrize(
    ("steps", "batches"),
    [
        ((), []),
        ((b"a",), [b"a"]),
        ((b"a", b"b", b"c"), [b"abc"]),
        ((0.0, b"a", b"b", 0.0, b"c", 0.001, 0.0, b"d", b"e"), [b"ab", b"c", b"de"]),
        ((b"a", 0.001), [b"a"]),
    ],
)
async def test_batch_holds_all_chunks_until_the_source_waits(
    steps: Sequence[Step], batches: Sequence[bytes]
) -> None:
    source = Source(*steps)
    assert [batch async for batch in batched(source.read())] == batches
    assert source.closed


async def test_batch_arrives_before_the_source_has_waited() -> None:
    source = Source(b"a", b"b", 3600.0)
    async with aclosing(batched(source.read())) as batches:
        assert await asyncio.wait_for(anext(batches), 60) == b"ab"


@pytest.mark.parametrize("steps", [(b"a", b"b"), (b"a", b"b", 0.0)])
async def test_source_that_fails_hands_on_what_came_before(steps: Sequence[Step]) -> None:
    source = Source(*steps, ValueError("broken off"))
    async with aclosing(batched(source.read())) as batches:
        assert await anext(batches) == b"ab"
        with pytest.raises(ValueError, match="broken off"):
            await anext(batches)
    assert source.closed


async def test_source_that_fails_at_once_raises_at_once() -> None:
    with pytest.raises(ValueError, match="broken off"):
        await anext(batched(Source(ValueError("broken off")).read()))


@pytest.mark.parametrize("slow", [False, True])
async def test_leaving_between_two_batches_closes_the_waiting_source(*, slow: bool) -> None:
    source = Source(b"a", 3600.0, slow=slow)
    async with aclosing(batched(source.read())) as batches:
        assert await anext(batches) == b"a"
    assert source.closed


@pytest.mark.parametrize("slow", [False, True])
async def test_leaving_behind_a_failed_source_raises_nothing(*, slow: bool) -> None:
    source = Source(b"a", ValueError("broken off"), slow=slow)
    async with aclosing(batched(source.read())) as batches:
        assert await anext(batches) == b"a"
    assert source.closed


@pytest.mark.parametrize("wait", [0.0, 3600.0])
@pytest.mark.parametrize("slow", [False, True])
async def test_cancelling_a_wait_closes_the_source(wait: float, *, slow: bool) -> None:
    source = Source(b"a", wait, 3600.0, slow=slow)
    async with aclosing(batched(source.read())) as batches:
        assert await anext(batches) == b"a"
        task = asyncio.ensure_future(anext(batches))
        for _ in range(3):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert source.closed


async def test_timeout_around_a_wait_leaves_the_source_closed() -> None:
    source = Source(b"a", 3600.0)
    async with aclosing(batched(source.read())) as batches:
        assert await anext(batches) == b"a"
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await anext(batches)
    assert source.closed
