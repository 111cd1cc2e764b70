"""Unique ids of tool calls: some servers count from one in each answer."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import replace

from agls.engine.facts import ModelDelta, Replied
from agls.engine.ports import ModelClient, ModelInfo, ModelRequest, Reply, new_id
from agls.engine.vocabulary import TokenCount
from agls.models.dialects.call_ids import SERVER_IDS


class WithUniqueCallIds:
    """Implements `ModelClient`: wraps another one, and replaces the ids of its calls."""

    def __init__(self, model: ModelClient) -> None:
        self._model = model

    @property
    def info(self) -> ModelInfo:
        """The info of the model."""
        return self._model.info

    async def count(self, request: ModelRequest) -> TokenCount:
        """Return the tokens of a request."""
        return await self._model.count(request)

    async def tokens_of(self, texts: Sequence[str]) -> int | None:
        """Return the tokens of texts by a tokenizer on this machine, `None` without one."""
        return await self._model.tokens_of(texts)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelDelta | Reply, None]:
        """Yield the model's answer. Raises `ModelError`."""
        async with aclosing(self._model.stream(request)) as parts:
            async for part in parts:
                yield _named(part) if isinstance(part, Replied) and part.tool_calls else part


def _named(reply: Replied) -> Replied:
    calls = tuple(replace(call, call_id=new_id("call")) for call in reply.tool_calls)
    server_ids = {ours.call_id: theirs.call_id for ours, theirs in zip(calls, reply.tool_calls, strict=True)}
    opaque = {**reply.opaque, SERVER_IDS: server_ids} if reply.opaque else reply.opaque
    return replace(reply, tool_calls=calls, opaque=opaque)
