"""Totals in the words of the wire, and one warning before a limit."""

import pytest
from pydantic import ValidationError

from agls.engine.feature import Feature
from agls.engine.limits import Totals
from agls.engine.ports import Effect
from agls.engine.vocabulary import Limits, Usage
from agls.features.usage.feature import build, nearly_used
from agls.features.usage.settings import Settings
from agls.toolkit import used_json
from support.rooms import FakeDoer, Notices, do, use
from support.scenario import Part, check, say


def test_the_summary_has_every_total() -> None:
    totals = Totals(turns=1, tool_calls=2, delegated_tasks=3, seconds=1.5).spent(
        Usage(100, 20, 5, 60, 10), 0.25
    )
    assert used_json(totals) == {
        "turns": 1, "modelCalls": 1, "toolCalls": 2, "inputTokens": 100, "outputTokens": 20,
        "totalTokens": 120, "delegatedTasks": 3, "seconds": 1.5,
        "reasoningTokens": 5, "cacheReadTokens": 60, "cacheWriteTokens": 10,
        "costUsd": 0.25, "unpricedCalls": 0, "estimatedCalls": 0,
    }  # fmt: skip


def test_cost_with_unpriced_calls_is_null() -> None:
    totals = Totals().spent(Usage(), 0.25).spent(Usage(), None)
    assert used_json(totals)["costUsd"] is None
    assert used_json(totals)["unpricedCalls"] == 1


@pytest.mark.parametrize(
    ("limits", "words"),
    [
        (Limits(max_turns=5), "4 of 5 turns"),
        (Limits(max_model_calls=2), "2 of 2 model calls"),
        (Limits(max_tool_calls=10), "8 of 10 tool calls"),
        (Limits(max_total_tokens=1000), "1000 of 1000 tokens"),
        (Limits(max_input_tokens=800), "700 of 800 input tokens"),
        (Limits(max_output_tokens=375), "300 of 375 output tokens"),
        (Limits(max_cost_usd=1.0), "0.8 of 1 US dollars"),
        (Limits(max_reasoning_tokens=100), "90 of 100 reasoning tokens"),
        (Limits(max_delegated_tasks=2), "2 of 2 delegated tasks"),
        (Limits(max_seconds=10.0), "9 of 10 seconds"),
    ],
)
def test_every_limit_is_looked_at(limits: Limits, words: str) -> None:
    begun = Totals(turns=4, tool_calls=8, delegated_tasks=2, seconds=9.0)
    totals = begun.spent(Usage(700, 300, 90), 0.8).spent(Usage(), 0.0)
    assert list(nearly_used(limits, totals, 0.8)) == [words]
    assert list(nearly_used(Limits(), totals, 0.8)) == []


def turns(count: int) -> list[list[Part]]:
    return [use(do(f"c{n}", "look")) for n in range(count)]


async def warnings(settings: Settings, limits: Limits) -> list[str]:
    seen, tools = Notices(), Feature(name="tools", tools=(FakeDoer("look", Effect.READS),))
    features = [build(settings), tools]
    await check(*turns(9), say(), facts=None, features=features, limits=limits, meanwhile=seen)
    return seen.texts


async def test_a_run_warns_once_at_four_fifths() -> None:
    assert await warnings(Settings(), Limits(max_turns=10)) == ["Used: 8 of 10 turns."]


async def test_a_run_far_from_its_limits_says_nothing() -> None:
    assert await warnings(Settings(), Limits(max_turns=100)) == []


async def test_the_warning_can_be_switched_off() -> None:
    assert await warnings(Settings(warn_at=1), Limits(max_turns=10)) == []


@pytest.mark.parametrize("share", [0, 1.5])
def test_a_share_is_between_nothing_and_all(share: float) -> None:
    with pytest.raises(ValidationError):
        Settings(warn_at=share)
