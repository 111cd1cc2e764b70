"""Totals in the words of the wire, and how near they are to their limits. Pure."""

from collections.abc import Iterator

from agls.engine.limits import KINDS, Totals
from agls.engine.vocabulary import JsonObject, Limits


def summary(totals: Totals) -> JsonObject:
    """What was used. `costUsd` is null when the price of any call is unknown: a part is not the whole."""
    return {
        "turns": totals.turns,
        "modelCalls": totals.model_calls,
        "toolCalls": totals.tool_calls,
        "delegatedTasks": totals.delegated_tasks,
        "inputTokens": totals.input_tokens,
        "outputTokens": totals.output_tokens,
        "totalTokens": totals.total_tokens,
        "reasoningTokens": totals.reasoning_tokens,
        "cacheReadTokens": totals.cache_read_tokens,
        "cacheWriteTokens": totals.cache_write_tokens,
        "costUsd": None if totals.unpriced else totals.cost,
        "unpricedCalls": totals.unpriced,
        "seconds": round(totals.seconds, 3),
    }


def nearly_used(limits: Limits, totals: Totals, share: float) -> Iterator[str]:
    """The limits of which at least this share is used, in words: `8 of 10 turns`."""
    for kind in KINDS:
        used, limit = kind.used(totals), getattr(limits, kind.field)
        if limit and used >= share * limit:
            yield f"{used:g} of {limit:g} {kind.label}"
