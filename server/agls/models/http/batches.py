"""Natural batching: the chunks that a source has without waiting travel on as one piece.

A model server sends each event of its answer in an HTTP chunk of its own, and one read of the socket often
brings dozens of them. Passed on one by one, each would take the whole way to the client alone.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from contextlib import suppress
from functools import partial
from typing import Any, NoReturn

Chunk = bytes | None  # `None` is the end


async def batched(chunks: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yield each chunk joined with those that follow it without a wait. Raises what `chunks` raises.

    While a batch is in use, `chunks` stays suspended in its next wait. It must not hold anything there that
    belongs to the running task, such as `asyncio.timeout`.
    """
    batch: list[bytes] = []
    while True:
        following = Begun(anext(chunks, None))
        if batch and not following.returned:
            try:
                yield b"".join(batch)
            except GeneratorExit:
                await following.cancel()
                raise
            batch = []
        chunk = following.chunk if following.returned else await following
        if chunk is None:
            break
        batch.append(chunk)
    if batch:
        yield b"".join(batch)


class Begun(Generator[Any, Any, Chunk]):
    """The next chunk of a source, which has run until it waits or is there. Await it at most once."""

    def __init__(self, awaitable: Awaitable[Chunk]) -> None:
        self.returned = self._failed = False
        self.chunk: Chunk = None
        self._steps = awaitable.__await__()
        self._step: Callable[[Any], Any] = self._steps.send
        try:
            waits_for = self._steps.send(None)
            self._step = lambda _: waits_for
        except StopIteration as end:
            self.returned, self.chunk = True, end.value
        except Exception as error:  # noqa: BLE001 - raised to whoever awaits this
            self._failed, self._step = True, partial(_raise, error)

    async def cancel(self) -> None:
        """Cancel the source where it waits, and wait for its clean-up."""
        if self._failed:
            return
        self._step = lambda _: self._steps.throw(asyncio.CancelledError())
        with suppress(asyncio.CancelledError):
            await self

    def __await__(self) -> Generator[Any, Any, Chunk]:
        return self

    def send(self, value: Any) -> Any:
        step, self._step = self._step, self._steps.send
        return step(value)

    def throw(self, *error: Any) -> Any:
        return self._steps.throw(*error)


def _raise(error: Exception, _: object) -> NoReturn:
    raise error
