"""Makes server/agls/models/catalog/models.jsonl from the data of `genai-prices` (MIT).

Run it with a Python that has that package (it is no dependency of agls): `python scripts/model_facts.py`.
What is kept: how models are named at each provider, their context windows, and their standard prices. A
model whose price changes with the hour of the day is left out, and so is everything not counted in tokens.
"""

import json
import re
import sys
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

from genai_prices import data, types

FILE = Path(__file__).parents[1] / "server" / "agls" / "models" / "catalog" / "models.jsonl"
KINDS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok")
SHARED_HOST = "huggingface_"  # one router stands before all of these
NOW = datetime.now(UTC)


def pattern(clause: object) -> str:
    """A clause as a regular expression for `re.search` on a name in small letters."""
    match clause:
        case types.ClauseStartsWith(starts_with=text):
            return f"^{re.escape(text.lower())}"
        case types.ClauseEndsWith(ends_with=text):
            return f"{re.escape(text.lower())}$"
        case types.ClauseContains(contains=text):
            return re.escape(text.lower())
        case types.ClauseEquals(equals=text):
            return f"^{re.escape(text.lower())}$"
        case types.ClauseRegex(regex=text):
            return text
        case types.ClauseOr(or_=parts):
            return "|".join(f"(?:{pattern(part)})" for part in parts)
        case types.ClauseAnd(and_=parts):
            return "^" + "".join(f"(?=.*?(?:{pattern(part)}))" for part in parts)
    raise TypeError(f"an unknown clause: {clause}")


def names(clause: object) -> list[str] | None:
    """The names that a clause means, when it means only whole names."""
    match clause:
        case types.ClauseEquals(equals=text):
            return [text.lower()]
        case types.ClauseOr(or_=parts):
            each = [names(part) for part in parts]
            return None if None in each else [name for found in each for name in found or ()]
    return None


def rates(prices: types.ModelPrice, above: int) -> list[float | None]:
    """The four rates for a request of more than `above` tokens."""
    found: list[float | None] = []
    for kind in KINDS:
        price = getattr(prices, kind)
        if isinstance(price, types.TieredPrices):
            reached = [tier.price for tier in price.tiers if tier.start <= above]
            price = reached[-1] if reached else price.base
        found.append(None if price is None else float(price))
    return found


def entry(model: types.ModelInfo) -> dict[str, object] | None:
    """What is kept of a model; nothing of one without a price for text."""
    if not isinstance(model.prices, types.ModelPrice):
        constraints = [each.constraint for each in model.prices]
        if any(isinstance(each, types.TimeOfDateConstraint) for each in constraints):
            return None
    prices = model.get_prices(NOW)
    tiers = sorted({tier.start for kind in KINDS for tier in getattr(getattr(prices, kind), "tiers", ())})
    whole = names(model.match)
    free = whole is not None and all(name.endswith(":free") for name in whole)
    if None in rates(prices, 0)[:2] or len(tiers) > 1 or not (free or any(rates(prices, 0)[:2])):
        return None  # a price of nothing is none, but where it is said
    kept: dict[str, object] = {"names": whole} if whole is not None else {"match": pattern(model.match)}
    if model.context_window:
        kept["window"] = model.context_window
    kept["rates"] = rates(prices, 0)
    if tiers:
        kept |= {"above": tiers[0], "then": rates(prices, tiers[0])}
    return kept


def main() -> None:
    """Write the file: a paragraph for each provider, whose first line is its own, the others its models'."""
    providers = []
    for provider in sorted(data.providers, key=lambda provider: provider.id):
        if provider.id.startswith(SHARED_HOST):
            continue
        models = [kept for model in provider.models if (kept := entry(model))]
        if models:
            also = list(getattr(provider, "fallback_model_providers", None) or ())
            providers.append({"id": provider.id, "at": provider.api_pattern, "also": also, "models": models})
    source = f"genai-prices {version('genai-prices')}"
    head = {
        "source": f"{source}, MIT License, Copyright (c) Pydantic Services Inc.",
        "made": NOW.date().isoformat(),
    }
    paragraphs = [json.dumps(head)]
    for provider in providers:
        models = provider.pop("models")
        lines = (json.dumps(provider), *(json.dumps(model, separators=(",", ":")) for model in models))
        paragraphs.append("\n".join(lines))
    FILE.write_text("\n\n".join(paragraphs) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(providers)} providers\n")


if __name__ == "__main__":
    main()
