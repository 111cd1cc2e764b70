"""The usage of a model call."""

from agls.engine.vocabulary import JsonObject, Usage
from agls.json_values import object_in

ROUNDING = 2  # tokens that a total may be off


def usage_of(raw: JsonObject) -> Usage:
    """Return the usage of a chat completion. Impossible counts are unknown.

    Tokens of the total beyond prompt and completion are hidden reasoning
    (xAI, Gemini) and are billed as output, so they count as output here; a token or two are a total that
    was rounded.
    """
    given, made, total = (count_in(raw, f"{kind}_tokens") for kind in ("prompt", "completion", "total"))
    prompt, completion = (object_in(raw.get(f"{kind}_tokens_details")) for kind in ("prompt", "completion"))
    reasoning = count_in(completion, "reasoning_tokens")
    if given is not None and made is not None and total is not None:
        hidden = total - given - made
        if hidden > ROUNDING or (reasoning and hidden > 0):
            reasoning, made = reasoning or hidden, made + hidden
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


def count_in(raw: JsonObject, key: str) -> int | None:
    """Return a count of tokens; `None` when it is missing or impossible."""
    count = raw.get(key)
    if isinstance(count, bool) or not isinstance(count, int | float) or not 0 <= count <= 1e9:
        return None
    return int(count)


def _first(*counts: int | None) -> int | None:
    return next((count for count in counts if count is not None), None)
