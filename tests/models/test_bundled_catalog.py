"""What is known of models without being told, and where it does not count."""

import json
import re
from typing import Any

import pytest

from agls.engine.vocabulary import Usage
from agls.models.catalog.bundled import _list, with_known_figures
from agls.models.endpoint import Endpoint
from agls.models.prices import Prices, cost_of
from agls.models.resolver import Models

ANTHROPIC, GOOGLE = "https://api.anthropic.com/v1", "https://generativelanguage.googleapis.com/v1beta"
OPENAI, ROUTER = "https://api.openai.com/v1", "https://openrouter.ai/api/v1"


def known(model: str, base_url: str, **more: Any) -> Endpoint:
    return with_known_figures(Endpoint(name="m", model=model, base_url=base_url, **more))


@pytest.mark.parametrize(
    ("model", "base_url", "window", "prices"),
    [
        ("claude-haiku-4-5-20251001", ANTHROPIC, 200_000, Prices(1.0, 5.0, 0.1, 1.25)),
        ("gpt-5", OPENAI, 400_000, Prices(1.25, 10.0, 0.125)),
        ("GPT-5-Codex", OPENAI, 400_000, Prices(1.25, 10.0, 0.125)),
        ("anthropic/claude-opus-4.6", ROUTER, 1_000_000, Prices(5.0, 25.0, 0.5, 6.25)),
        ("gpt-5", "https://mine.openai.azure.com/openai/v1", 400_000, Prices(1.25, 10.0, 0.125)),
        (
            "models/gemini-2.5-pro",
            GOOGLE,
            None,
            Prices(1.25, 10.0, 0.125, above=200_000, then=Prices(2.5, 15.0, 0.25)),
        ),
    ],
)
def test_a_model_at_its_providers_address_is_known(
    model: str, base_url: str, window: int | None, prices: Prices
) -> None:
    found = known(model, base_url)
    assert (found.context_window, found.prices) == (window, prices)


@pytest.mark.parametrize(
    ("model", "base_url"),
    [
        ("gpt-5", "https://proxy.example/v1"),
        ("gpt-5", "http://localhost:11434/v1"),
        ("gpt-99-ultra", OPENAI),
        ("", OPENAI),
        ("gpt-5", ""),
    ],
)
def test_unlisted_model_has_unknown_figures_and_price(model: str, base_url: str) -> None:
    found = known(model, base_url)
    assert (found.context_window, found.prices) == (None, Prices())
    assert cost_of(Usage(10, 10), found.prices) is None


def test_configured_facts_override_the_bundled_ones() -> None:
    found = known("gpt-5", OPENAI, context_window=1000, prices=Prices(9.0, 9.0))
    assert (found.context_window, found.prices) == (1000, Prices(9.0, 9.0))


def test_a_model_that_is_found_by_name_has_its_facts() -> None:
    models = Models([Endpoint(name="router", base_url=ROUTER)])
    info = models.resolve("router/anthropic/claude-opus-4.6").info
    assert (info.context_window, info.input_price, info.output_price) == (1_000_000, 5.0, 25.0)


def test_bundled_list_is_complete_and_valid() -> None:
    providers = _list()
    models = [json.loads(line) for _, lines in providers for line in lines]
    assert len(models) > 1000
    for provider, _ in providers:
        assert re.compile(provider["at"])
    for model in models:
        assert re.compile(model.get("match", "")) and ("match" in model) != ("names" in model)
        assert all(rate >= 0 for rate in model["rates"][:2])
        free = all(name.endswith(":free") for name in model.get("names", ["paid"]))
        assert free or any(model["rates"][:2])
