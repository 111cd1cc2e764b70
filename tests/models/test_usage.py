"""What was used, and what it cost."""

from typing import Any

import pytest

from agls.engine.vocabulary import Usage
from agls.models.dialects.usage import usage_of
from agls.models.prices import Prices, cost_of


@pytest.mark.row(10)
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
        ({"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 8}, Usage(5, 2)),  # a rounded total
        ({"prompt_tokens": 466, "completion_tokens": 68, "total_tokens": 800}, Usage(466, 334, 266)),
        ({"prompt_tokens": -1, "completion_tokens": 1e30, "total_tokens": True}, Usage()),
        ({"prompt_tokens": "12", "completion_tokens": 3.0}, Usage(None, 3)),
    ],
)
def test_usage_is_read_and_what_cannot_be_true_is_unknown(raw: Any, usage: Usage) -> None:
    """The spellings of usage of many servers."""
    assert usage_of(raw) == usage


USAGES = {  # the same call, as four kinds of servers tell it
    "vllm": {
        "prompt_tokens": 100, "total_tokens": 150, "completion_tokens": 50,
        "prompt_tokens_details": {"cached_tokens": 40},
    },
    "ollama": {
        "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150, "cached_tokens": 40,
    },
    "litellm": {
        "completion_tokens": 50, "prompt_tokens": 100, "total_tokens": 150,
        "prompt_tokens_details": {"audio_tokens": None, "cached_tokens": None},
        "cache_read_input_tokens": 40,
    },
    "openrouter": {
        "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150, "cost": 0.0007, "is_byok": False,
        "prompt_tokens_details": {"cached_tokens": 40, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": None},
    },
    "deepseek": {
        "prompt_tokens": 100, "completion_tokens": 50, "total_tokens": 150,
        "prompt_cache_hit_tokens": 40, "prompt_cache_miss_tokens": 60,
    },
}  # fmt: skip


@pytest.mark.row(10)
@pytest.mark.parametrize("raw", USAGES.values(), ids=USAGES)
def test_the_usage_of_one_call_is_the_same_however_it_is_spelled(raw: Any) -> None:
    """Five spellings, one usage."""
    assert usage_of(raw) == Usage(100, 50, None, 40)


@pytest.mark.row(17)
def test_cached_input_has_its_own_prices() -> None:
    """Four rates."""
    prices = Prices(input=2.0, output=10.0, cache_read=0.5, cache_write=3.0)
    assert cost_of(Usage(100, 10, None, 40, 20), prices) == pytest.approx(
        (40 * 2 + 40 * 0.5 + 20 * 3 + 100) / 1e6
    )


def test_cached_input_without_a_price_costs_as_input() -> None:
    prices = Prices(input=2.0, output=0.0)
    assert cost_of(Usage(100, 10, None, 40, 20), prices) == pytest.approx(200 / 1e6)


@pytest.mark.parametrize(
    ("usage", "dollars"),
    [(Usage(0, 100, 40), 60 * 10 + 40 * 4), (Usage(0, 100), 1000), (Usage(0, 100, 400), 400)],
)
def test_reasoning_has_its_own_price_where_there_is_one(usage: Usage, dollars: float) -> None:
    assert cost_of(usage, Prices(2.0, 10.0, reasoning=4.0)) == pytest.approx(dollars / 1e6)
    assert cost_of(usage, Prices(2.0, 10.0)) == pytest.approx(1000 / 1e6), "else it costs as output"


@pytest.mark.row(17)
def test_a_call_is_priced_by_all_four_rates_at_once() -> None:
    """Input, cached input, cache writes and output each have their rate, and reasoning one, too."""
    prices = Prices(input=2.0, output=10.0, cache_read=0.5, cache_write=3.0, reasoning=4.0)
    usage = Usage(100, 50, 20, 40, 20)
    assert cost_of(usage, prices) == pytest.approx((40 * 2 + 40 * 0.5 + 20 * 3 + 30 * 10 + 20 * 4) / 1e6)


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
