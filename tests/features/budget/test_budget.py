"""Limits hold before anything is spent."""

import math

import pytest
from pydantic import ValidationError

from aglet.engine.facts import LimitsChanged
from aglet.engine.feature import Feature, RunView
from aglet.engine.ports import Effect
from aglet.engine.state import State
from aglet.engine.vocabulary import Limits, StopReason, Usage
from aglet.features.budget import build
from aglet.features.budget.limits import limits_from
from aglet.features.budget.settings import Settings
from support.rooms import FakeDoer, Notices, do, results, use
from support.scenario import Part, check, say

SPENT = Usage(input_tokens=700, output_tokens=300)


def look() -> FakeDoer:
    return FakeDoer("look", Effect.READS)


def turns(count: int, *, cost: float | None = 0.5) -> list[list[Part]]:
    return [use(do(f"c{index}", "look"), usage=SPENT, cost=cost) for index in range(count)]


async def run(
    limits: Limits, *script: list[Part], tool: FakeDoer | None = None, seen: Notices | None = None
) -> State:
    features = [build(), Feature(name="tools", tools=(tool or look(),))]
    return await check(*script, facts=None, features=features, limits=limits, meanwhile=seen)


@pytest.mark.parametrize(
    ("limits", "calls", "reason", "detail"),
    [
        (Limits(max_turns=3), 3, StopReason.MAX_TURNS, "The budget of turns is used up: 3 of 3."),
        (Limits(max_model_calls=2), 2, StopReason.BUDGET, "The budget of model calls is used up: 2 of 2."),
        (
            Limits(max_total_tokens=1500),
            2,
            StopReason.BUDGET,
            "The budget of tokens is used up: 2000 of 1500.",
        ),
        (
            Limits(max_total_tokens=1000),
            1,
            StopReason.BUDGET,
            "The budget of tokens is used up: 1000 of 1000.",
        ),
        (
            Limits(max_input_tokens=800),
            2,
            StopReason.BUDGET,
            "The budget of input tokens is used up: 1400 of 800.",
        ),
        (
            Limits(max_output_tokens=300),
            1,
            StopReason.BUDGET,
            "The budget of output tokens is used up: 300 of 300.",
        ),
        (Limits(max_cost_usd=0.9), 2, StopReason.BUDGET, "The budget of US dollars is used up: 1 of 0.9."),
    ],
)
async def test_a_run_stops_before_the_model_call_it_cannot_pay(
    limits: Limits, calls: int, reason: StopReason, detail: str
) -> None:
    """Rows 2, 14: each limit stops the run before it is overstepped."""
    state = await run(limits, *turns(5))
    assert state.run.model_calls == calls
    assert state.stop is not None
    assert (state.stop.reason, state.stop.detail) == (reason, detail)


@pytest.mark.parametrize(
    "limits",
    [
        Limits(max_turns=0), Limits(max_model_calls=0), Limits(max_total_tokens=0),
        Limits(max_input_tokens=0),
        Limits(max_output_tokens=0), Limits(max_cost_usd=0.0),
    ],
)  # fmt: skip
async def test_nothing_to_spend_means_no_model_call(limits: Limits) -> None:
    """Row 14: nothing to spend, nothing asked. Port Budget gate: the model was never asked."""
    state = await run(limits)
    assert state.run.model_calls == 0
    assert state.run.turns == 0


async def test_without_limits_nothing_stops() -> None:
    state = await run(Limits(), *turns(3), say())
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


async def test_the_tool_call_that_is_too_many_is_refused_and_then_the_run_ends() -> None:
    tool = look()
    state = await run(Limits(max_tool_calls=2), *turns(4), tool=tool)
    assert len(tool.done) == 2
    assert state.run.tool_calls == 2
    assert results(state)["c2"] == "Not run: this run may make 2 tool calls and has made them."
    assert state.stop is not None
    assert state.stop.detail == "The budget of tool calls is used up: 2 of 2."


async def test_calls_side_by_side_do_not_slip_past_the_limit() -> None:
    tool = look()
    calls = [do(f"c{index}", "look") for index in range(5)]
    state = await run(Limits(max_tool_calls=3), use(*calls), tool=tool)
    assert len(tool.done) == 3
    assert [key for key, text in results(state).items() if text == "ok"] == ["c0", "c1", "c2"]


async def test_the_last_allowed_call_still_gets_its_answer() -> None:
    state = await run(Limits(max_tool_calls=1), use(do("c0", "look")), say())
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


async def test_a_limit_that_was_raised_in_the_meantime_counts() -> None:
    tool = look()

    async def raise_it(view: RunView) -> list[LimitsChanged]:
        raised = view.state.run.turns == 1
        return [LimitsChanged(Limits(max_tool_calls=5))] if raised else []

    features = [Feature(name="critic", before_turn=raise_it), build(), Feature(name="tools", tools=(tool,))]
    script = [use(do("a", "look"), do("b", "look")), use(do("c", "look")), say()]
    state = await check(*script, facts=None, features=features, limits=Limits(max_tool_calls=1))
    assert len(tool.done) == 2
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


async def test_no_tool_calls_means_none() -> None:
    tool = look()
    await run(Limits(max_tool_calls=0), use(do("c0", "look")), tool=tool)
    assert tool.done == []


async def test_a_cost_limit_that_cannot_hold_says_so_once() -> None:
    seen = Notices()
    state = await run(Limits(max_cost_usd=1.0), *turns(3, cost=None), say(), seen=seen)
    assert seen.titles == ["The cost limit does not cover this model"]
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


def test_limits_come_from_options_then_settings_then_the_door() -> None:
    settings = Settings(max_tool_calls=7, max_cost_usd=2.5)
    options = {
        "maxTotalTokens": 1000,
        "maxToolCalls": 3,
        "maxCostUsd": 0,
        "maxInputTokens": None,
        "model": "fast",
    }
    assert limits_from(options, settings, 12) == Limits(
        max_turns=12, max_tool_calls=3, max_total_tokens=1000, max_cost_usd=0
    )
    assert limits_from({}, Settings(max_turns=5), 12).max_turns == 5
    assert limits_from({"maxTurns": 9}, Settings(max_turns=5), 12).max_turns == 9
    assert limits_from({}, Settings()) == Limits()


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("maxTurns", -1), ("maxTurns", 1.5), ("maxTurns", "3"), ("maxTurns", True), ("maxModelCalls", [1]),
        ("maxToolCalls", {}), ("maxTotalTokens", math.inf), ("maxCostUsd", math.nan), ("maxCostUsd",
        math.inf),
        ("maxCostUsd", -0.1), ("maxCostUsd", "1"),
    ],
)  # fmt: skip
def test_nonsense_is_refused_by_name(option: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"^{option} must be a .*, 0 or more, not "):
        limits_from({option: value}, Settings())


@pytest.mark.parametrize("bad", [{"max_turns": -1}, {"max_cost_usd": math.nan}, {"turns": 3}])
def test_the_configuration_refuses_nonsense(bad: dict[str, float]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(bad)
