"""A fallback model for one that is overloaded, out of quota or unreachable. The user is notified."""

from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace

from agls.engine.facts import ModelDelta, Replied, Retrying
from agls.engine.ports import ModelClient, ModelError, ModelInfo, ModelRequest, Reply
from agls.engine.vocabulary import TokenCount

MISSING = frozenset({"overloaded", "quota", "rateLimit", "providerInternal", "network", "timeout"})


class ModelWithFallback:
    """Implements `ModelClient`: `first`, and the `other` when that one fails before its first delta.

    `other` is resolved when it is needed. The reply names the model that answered, and has its price.
    """

    def __init__(self, first: ModelClient, other: Callable[[], ModelClient]) -> None:
        self._first, self._other = first, other

    @property
    def info(self) -> ModelInfo:
        """The info of the first model."""
        return self._first.info

    async def count(self, request: ModelRequest) -> TokenCount:
        """Return the tokens of a request, as the first model counts."""
        return await self._first.count(request)

    async def tokens_of(self, texts: Sequence[str]) -> int | None:
        """Return the tokens of texts by a tokenizer on this machine, `None` without one."""
        return await self._first.tokens_of(texts)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """Yield the answer of the first model, or of the other one. Raises `ModelError` when both fail."""
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
        cause = f"{failure} {other.info.name} is asked in its place."
        yield Retrying(waits + 1, 0.0, cause, failure.usage, failure.cost)
        async with aclosing(other.stream(request)) as parts:
            async for part in parts:
                yield _from(other, part)


def _from(model: ModelClient, part: ModelDelta | Reply) -> ModelDelta | Reply:
    """Return the part; a reply gets the name of its model."""
    return replace(part, model=part.model or model.info.name) if isinstance(part, Replied) else part
