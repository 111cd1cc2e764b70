"""Retries of failures that may pass; of an answer that broke off, one."""

import asyncio
import random
import time
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing

from agls.engine.facts import ModelDelta, Retrying
from agls.engine.ports import Reply
from agls.frozen import frozen
from agls.models.errors import CallFailed, Failure

Part = ModelDelta | Reply


@frozen
class RetryPolicy:
    """When to retry, and after which wait. Times in seconds; tests replace `sleep` and `chance`.

    The wait doubles from `first` up to `longest`, with a random half of it (`chance`), and is never shorter
    than the server requested. A request for more than `limit` ends the retries.
    """

    tries: int = 5
    first: float = 1.0
    longest: float = 30.0
    limit: float = 120.0
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    chance: Callable[[], float] = random.random

    def delay(self, failure: Failure, tried: int) -> float | None:
        """Return the wait after try number `tried` failed; `None` to give up."""
        if failure.corrected:
            return 0.0
        if not failure.is_retryable or tried >= self.tries or failure.wait > self.limit:
            return None
        backoff = min(self.first * 2 ** (tried - 1), self.longest)
        return max(backoff * (1 + self.chance()) / 2, failure.wait)


async def with_retries(
    ask: Callable[[], AsyncGenerator[Part, None]], policy: RetryPolicy, provider: str = ""
) -> AsyncGenerator[Part, None]:
    """Yield the parts of every try up to the first success, and a `Retrying` before each wait.

    Parts before a `Retrying` are void: an answer that broke off is requested once more (docs/decisions/350).
    Raises the last `CallFailed`, with the provider, the number of tries, and when the server accepts requests
    again.
    """
    tried, torn = 0, False
    while True:
        tried += 1
        handed = False
        try:
            async with aclosing(ask()) as parts:
                async for part in parts:
                    handed = True
                    yield part
            return
        except CallFailed as error:
            delay = policy.delay(error.failure, tried)
            if delay is None or (handed and torn):
                error.provider, error.attempts = provider, tried
                error.resets_at = time.time() + error.failure.wait if error.failure.wait else None
                raise
            torn = torn or handed
            retrying = Retrying(tried, delay, error.failure.message, error.usage, error.cost)
        yield retrying
        await policy.sleep(delay)
