"""Another model in the place of one that is busy, spent or gone, and the user told of it."""

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import replace

from agls.engine.facts import ModelDelta, Replied, Retrying
from agls.engine.ports import ModelClient, ModelError, ModelInfo, ModelRequest, Reply
from agls.engine.vocabulary import TokenCount

MISSING = frozenset({"overloaded", "quota", "rateLimit", "providerInternal", "network", "timeout"})


class ModelWithFallback:
    """Implements `ModelClient`: `first`, and when that fails before its first word, the `other`.

    `other` is looked up when it is needed. Which one answered stands in the reply, with its own price.
    """

    def __init__(self, first: ModelClient, other: Callable[[], ModelClient]) -> None:
        self._first, self._other = first, other

    @property
    def info(self) -> ModelInfo:
        """What is known of the model that is asked first."""
        return self._first.info

    async def count(self, request: ModelRequest) -> TokenCount:
        """The tokens that the first model makes of a request."""
        return await self._first.count(request)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """The answer of whoever gives one. Raises `ModelError` when nobody does."""
        waits, handed = 0, False
        try:
            async with aclosing(self._first.stream(request)) as parts:
                async for part in parts:
                    waits += isinstance(part, Retrying)
                    handed = not isinstance(part, Retrying)  # what came before one was discarded
                    yield part
            return
        except ModelError as error:
            if handed or error.kind not in MISSING:
                raise
            failure = error
        other = self._other()
        yield Retrying(waits + 1, 0.0, f"{failure} {other.info.name} is asked in its place.")
        async with aclosing(other.stream(request)) as parts:
            async for part in parts:
                yield _from(other, part)


def _from(model: ModelClient, part: ModelDelta | Reply) -> ModelDelta | Reply:
    """The part, an answer with the name of who gave it."""
    return replace(part, model=part.model or model.info.name) if isinstance(part, Replied) else part
