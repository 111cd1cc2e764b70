"""What a model call used and what it cost."""

from agls.engine.vocabulary import JsonObject, Usage
from agls.models.endpoint import Prices
from agls.models.values import object_in

MILLION = 1_000_000


def usage_of(raw: JsonObject) -> Usage:
    """The usage object of a chat completion. Counts that cannot be true are unknown.

    Tokens of the total that stand neither under prompt nor under completion are hidden reasoning
    (xAI, Gemini) and are billed as output, so they count as output here.
    """
    given, made, total = (count_in(raw, f"{kind}_tokens") for kind in ("prompt", "completion", "total"))
    prompt, completion = (object_in(raw.get(f"{kind}_tokens_details")) for kind in ("prompt", "completion"))
    reasoning = count_in(completion, "reasoning_tokens")
    if given is not None and made is not None and total is not None and total > given + made:
        reasoning = reasoning or total - given - made
        made = total - given
    return Usage(
        input_tokens=given,
        output_tokens=made,
        reasoning_tokens=reasoning,
        cache_read_tokens=_first(
            count_in(prompt, "cached_tokens"),
            count_in(raw, "cached_tokens"),
            count_in(raw, "prompt_cache_hit_tokens"),
            count_in(raw, "cache_read_input_tokens"),
        ),
        cache_write_tokens=_first(
            count_in(prompt, "cache_write_tokens"), count_in(raw, "cache_creation_input_tokens")
        ),
    )


def cost_of(usage: Usage, prices: Prices) -> float | None:
    """US dollars; `None` when a price or a count is unknown.

    Input includes what came from the cache, and output the reasoning.
    """
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    if prices.then and prices.above is not None and usage.input_tokens > prices.above:
        prices = prices.then
    if prices.input is None or prices.output is None:
        return None
    read, written = usage.cache_read_tokens or 0, usage.cache_write_tokens or 0
    fresh = max(usage.input_tokens - read - written, 0)
    read_price = prices.input if prices.cache_read is None else prices.cache_read
    write_price = prices.input if prices.cache_write is None else prices.cache_write
    thought = min(usage.reasoning_tokens or 0, usage.output_tokens)
    thought_price = prices.output if prices.reasoning is None else prices.reasoning
    given = fresh * prices.input + read * read_price + written * write_price
    made = (usage.output_tokens - thought) * prices.output + thought * thought_price
    return (given + made) / MILLION


def count_in(raw: JsonObject, key: str) -> int | None:
    """A count of tokens; `None` when there is none that can be true."""
    count = raw.get(key)
    if isinstance(count, bool) or not isinstance(count, int | float) or not 0 <= count <= 1e9:
        return None
    return int(count)


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
