"""Sizes and prices with their sources: who said it counts, and nobody's word is no zero."""

from typing import Any

import pytest

from agls.models.catalog.model_info import NAMES, Figure, figures, listed_figures
from agls.models.endpoint import Endpoint
from agls.models.prices import Prices

ANTHROPIC = "https://api.anthropic.com/v1"


def model(base_url: str = "http://x.example/v1", **more: Any) -> Endpoint:
    return Endpoint(name="m", model="claude-haiku-4-5", base_url=base_url, **more)


def test_missing_figures_are_unknown_and_not_zero() -> None:
    assert figures(model(), {}) == dict.fromkeys(NAMES, Figure(None, "unknown"))


def test_your_settings_count_more_than_the_list_and_the_list_more_than_the_server() -> None:
    told = {"context_window": 1.0, "output_limit": 2.0, "input_price": 3.0}
    known = figures(model(ANTHROPIC, prices=Prices(input=0.0, output=9.0)), told)
    assert known["input_price"] == Figure(0.0, "settings")
    assert known["context_window"] == Figure(200_000, "list")
    assert known["output_limit"] == Figure(2.0, "server")
    assert known["cache_read_price"] == Figure(None, "unknown"), "the user's prices replace all of the list's"


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (
            {  # OpenRouter
                "context_length": 200000,
                "top_provider": {"max_completion_tokens": 64000},
                "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"},
            },
            {
                "context_window": 200000,
                "output_limit": 64000,
                "input_price": 3.0,
                "output_price": 15.0,
                "cache_read_price": 0.3,
            },
        ),
        (
            {"context_window": 131072, "max_completion_tokens": 8192},
            {"context_window": 131072, "output_limit": 8192},
        ),
        ({"max_context_length": 32768}, {"context_window": 32768}),
        ({"max_model_len": 4096}, {"context_window": 4096}),
        (
            {"inputTokenLimit": 1048576, "outputTokenLimit": 65536},
            {"context_window": 1048576, "output_limit": 65536},
        ),
        ({"context_length": True, "max_model_len": 0, "pricing": {"prompt": "-1", "completion": "x"}}, {}),
        ({"pricing": {"prompt": "0", "completion": 5}}, {"input_price": 0.0}),
        ({"pricing": [], "context_window": None}, {}),
    ],
)
def test_figures_in_model_lists_of_servers_are_read(entry: dict[str, Any], told: dict[str, float]) -> None:
    assert listed_figures(entry) == told
