"""Totals in the words of the wire, and how near they are to their limits. Pure."""

from collections.abc import Iterator

from aglet.engine.state import Totals
from aglet.engine.vocabulary import JsonObject, Limits


def summary(totals: Totals) -> JsonObject:
    """What was used. `costUsd` is null when the price of any call is unknown: a part is not the whole."""
    return {
        "turns": totals.turns,
        "modelCalls": totals.model_calls,
        "toolCalls": totals.tool_calls,
        "inputTokens": totals.input_tokens,
        "outputTokens": totals.output_tokens,
        "totalTokens": totals.total_tokens,
        "reasoningTokens": totals.reasoning_tokens,
        "cacheReadTokens": totals.cache_read_tokens,
        "cacheWriteTokens": totals.cache_write_tokens,
        "costUsd": None if totals.unpriced else totals.cost,
        "unpricedCalls": totals.unpriced,
    }


def nearly_used(limits: Limits, totals: Totals, share: float) -> Iterator[str]:
    """The limits of which at least this share is used, in words: `8 of 10 turns`."""
    for used, limit, unit in (
        (totals.turns, limits.max_turns, "turns"),
        (totals.model_calls, limits.max_model_calls, "model calls"),
        (totals.tool_calls, limits.max_tool_calls, "tool calls"),
        (totals.total_tokens, limits.max_total_tokens, "tokens"),
        (totals.input_tokens, limits.max_input_tokens, "input tokens"),
        (totals.output_tokens, limits.max_output_tokens, "output tokens"),
        (totals.cost, limits.max_cost_usd, "US dollars"),
    ):
        if limit and used >= share * limit:
            yield f"{used:g} of {limit:g} {unit}"
