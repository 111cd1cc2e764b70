"""The sizes and prices of a model, each with its source."""

from collections.abc import Mapping
from typing import Literal

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import object_in
from agls.models.catalog.bundled import with_known_figures
from agls.models.endpoint import Endpoint

Source = Literal["settings", "list", "server", "request", "unknown"]
NAMES = (
    "context_window",
    "output_limit",
    "input_price",
    "output_price",
    "cache_read_price",
    "cache_write_price",
    "reasoning_price",
)
WINDOWS = (  # what servers call it in their lists of models
    "context_length",
    "context_window",
    "max_context_length",
    "max_model_len",
    "max_input_tokens",
    "inputTokenLimit",
)
LIMITS = ("max_completion_tokens", "outputTokenLimit", "max_output_tokens")
PER_TOKEN = {  # OpenRouter: dollars per token, as text
    "input_price": "prompt",
    "output_price": "completion",
    "cache_read_price": "input_cache_read",
    "cache_write_price": "input_cache_write",
}


@frozen
class Figure:
    """Tokens, or US dollars per million tokens; `None` is unknown.

    `source` is the user's settings, the bundled list, the server, or `unknown`. `request` is a size that
    every request asks for (Ollama).
    """

    value: float | None = None
    source: Source = "unknown"


def figures(
    endpoint: Endpoint, listed: Mapping[str, float], filled_in_by: Source = "settings"
) -> dict[str, Figure]:
    """Return every figure of `NAMES`.

    The endpoint's own figures (from `filled_in_by`) win over the bundled list, and that over `listed`, the
    figures of the server's list: the same order as in a run.
    """
    sources: tuple[tuple[Source, Mapping[str, float]], ...] = (
        (filled_in_by, values_of(endpoint)),
        ("list", values_of(with_known_figures(endpoint))),
        ("server", listed),
    )
    known = {name: Figure(values[name], who) for who, values in reversed(sources) for name in values}
    return {name: known.get(name, Figure()) for name in NAMES}


def values_of(endpoint: Endpoint) -> dict[str, float]:
    """Return the figures of an endpoint that are known, by their names in `NAMES`."""
    info = endpoint.info
    return {name: value for name in NAMES if (value := getattr(info, name)) is not None}


def listed_figures(entry: JsonObject) -> dict[str, float]:
    """Read the figures in one entry of a server's list of models, in the spellings of all known servers."""
    top = object_in(entry.get("top_provider"))
    sizes = {
        "context_window": _first(WINDOWS, entry, top, object_in(entry.get("meta"))),
        "output_limit": _first(LIMITS, entry, top),
    }
    prices = object_in(entry.get("pricing"))
    rates = {name: _per_million(prices.get(key)) for name, key in PER_TOKEN.items()}
    return {name: value for name, value in {**sizes, **rates}.items() if value is not None}


def _first(keys: tuple[str, ...], *places: JsonObject) -> int | None:
    values = (place.get(key) for place in places for key in keys)
    return next((v for v in values if isinstance(v, int) and not isinstance(v, bool) and v > 0), None)


def _per_million(price: object) -> float | None:
    """Convert a price per token, as text, to dollars per million tokens; `None` for one that varies (-1)."""
    try:
        value = float(price) if isinstance(price, str) else -1.0
    except ValueError:
        return None
    return round(value * 1_000_000, 6) if 0 <= value < 1 else None
