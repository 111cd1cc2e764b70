"""What was used, and what it cost."""

from typing import Any

import pytest

from aglet.engine.vocabulary import Usage
from aglet.models.endpoint import Prices
from aglet.models.usage import cost_of, usage_of


@pytest.mark.parametrize(
    ("raw", "usage"),
    [
        ({}, Usage()),
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}, Usage(5, 2)),
        ({"prompt_tokens": 5, "prompt_tokens_details": {"cached_tokens": 3}}, Usage(5, None, None, 3)),
        (
            {"prompt_tokens": 5, "prompt_tokens_details": None, "prompt_cache_hit_tokens": 0},
            Usage(5, None, None, 0),
        ),
        ({"cached_tokens": 2, "cache_creation_input_tokens": 4}, Usage(None, None, None, 2, 4)),
        ({"completion_tokens": 9, "completion_tokens_details": {"reasoning_tokens": 4}}, Usage(None, 9, 4)),
        ({"prompt_tokens": 466, "completion_tokens": 68, "total_tokens": 800}, Usage(466, 334, 266)),
        ({"prompt_tokens": -1, "completion_tokens": 1e30, "total_tokens": True}, Usage()),
        ({"prompt_tokens": "12", "completion_tokens": 3.0}, Usage(None, 3)),
    ],
)
def test_usage_is_read_and_what_cannot_be_true_is_unknown(raw: Any, usage: Usage) -> None:
    """Row 10: the spellings of usage of many servers."""
    assert usage_of(raw) == usage


def test_cached_input_has_its_own_prices() -> None:
    """Row 17: four rates."""
    prices = Prices(input=2.0, output=10.0, cache_read=0.5, cache_write=3.0)
    assert cost_of(Usage(100, 10, None, 40, 20), prices) == pytest.approx(
        (40 * 2 + 40 * 0.5 + 20 * 3 + 100) / 1e6
    )


def test_cached_input_without_a_price_costs_as_input() -> None:
    prices = Prices(input=2.0, output=0.0)
    assert cost_of(Usage(100, 10, None, 40, 20), prices) == pytest.approx(200 / 1e6)


@pytest.mark.parametrize(
    ("usage", "prices"),
    [
        (Usage(1, 1), Prices()),
        (Usage(1, 1), Prices(input=1.0)),
        (Usage(None, 1), Prices(input=1.0, output=1.0)),
        (Usage(1), Prices(input=1.0, output=1.0)),
    ],
)
def test_an_unknown_price_or_count_makes_the_cost_unknown(usage: Usage, prices: Prices) -> None:
    assert cost_of(usage, prices) is None


@pytest.mark.parametrize(("tokens", "dollars"), [(1000, 2000 / 1e6), (1001, 4004 / 1e6)])
def test_a_long_request_has_its_own_price(tokens: int, dollars: float) -> None:
    prices = Prices(2.0, 10.0, above=1000, then=Prices(4.0, 20.0))
    assert cost_of(Usage(tokens, 0), prices) == pytest.approx(dollars)
