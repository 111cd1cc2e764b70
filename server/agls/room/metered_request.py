"""A request that a room sends beside those of a run: what it used is recorded, however it ended."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, suppress

from agls.engine.facts import ModelDelta, Replied, Retrying, Used
from agls.engine.limits import left
from agls.engine.ports import AnswerCancelled, JournalError, ModelClient, ModelError, ModelRequest, Reply
from agls.engine.state import State

SPENDING = ("max_model_calls", "max_total_tokens", "max_input_tokens", "max_output_tokens", "max_cost_usd")


def is_spent(state: State) -> bool:
    """**Returns** whether what is left to spend pays no request to a model."""
    rest = left(state.limits, state.run)
    return any(getattr(rest, field) == 0 for field in SPENDING)


async def metered(
    client: ModelClient, request: ModelRequest, room: str, spend: Callable[[Used], None]
) -> AsyncGenerator[ModelDelta | Reply]:
    """Yield what the model answers; what it used is the room's.

    An attempt that broke off and an answer that failed or was cancelled count as far as they came.
    **Raises** `ModelError`; a cancel leaves as a plain `CancelledError`, as `asyncio.timeout` wants it.
    """
    try:
        async with aclosing(client.stream(request)) as parts:
            async for part in parts:
                if isinstance(part, Replied | Retrying) and part.usage:
                    spend(Used(room, part.usage, part.cost))
                yield part
    except AnswerCancelled as left:
        with suppress(JournalError):  # the session is closed
            spend(Used(room, left.usage, left.cost))
        raise asyncio.CancelledError from None
    except ModelError as problem:
        if problem.usage:
            with suppress(JournalError):
                spend(Used(room, problem.usage, problem.cost))
        raise
