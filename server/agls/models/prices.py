"""The prices of a model, and what a call of it cost."""

from agls.engine.vocabulary import Usage
from agls.frozen import frozen

MILLION = 1_000_000


@frozen
class Prices:
    """US dollars per million tokens; `None` is unknown.

    Cached input without a price costs as input, reasoning without one as output. A request with
    more than `above` input tokens costs what `then` says.
    """

    input: float | None = None
    output: float | None = None
    cache_read: float | None = None
    cache_write: float | None = None
    reasoning: float | None = None
    above: int | None = None
    then: "Prices | None" = None


def cost_of(usage: Usage, prices: Prices) -> float | None:
    """Return the cost in US dollars; `None` when a price or a count is unknown.

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
