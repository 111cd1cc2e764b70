"""Limits hold before anything is spent."""

import math

import pytest
from pydantic import ValidationError

from agls.engine.facts import LimitsChanged, Used
from agls.engine.feature import Feature, RunView
from agls.engine.limits import FIELDS, left
from agls.engine.ports import Effect
from agls.engine.state import State
from agls.engine.vocabulary import Limits, StopReason, Usage
from agls.features.budget.scopes import flag
from agls.features.budget.settings import Settings
from agls.room.budgets import Allowance
from agls.room.limit_options import limits_from
from support.budgets import budget_room
from support.rooms import FakeDoer, Notices, do, results, use
from support.scenario import Part, check, say

pytestmark = pytest.mark.promise("P11")

SPENT = Usage(input_tokens=700, output_tokens=300, reasoning_tokens=100)


def look() -> FakeDoer:
    return FakeDoer("look", Effect.READS)


def turns(count: int, *, cost: float | None = 0.5) -> list[list[Part]]:
    return [use(do(f"c{index}", "look"), usage=SPENT, cost=cost) for index in range(count)]


async def run(
    limits: Limits, *script: list[Part], tool: FakeDoer | None = None, seen: Notices | None = None
) -> State:
    features = [budget_room(), Feature(name="tools", tools=(tool or look(),))]
    return await check(*script, facts=None, features=features, limits=limits, meanwhile=seen)


@pytest.mark.row(2, 13, 14)
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
        (
            Limits(max_reasoning_tokens=150),
            2,
            StopReason.BUDGET,
            "The budget of reasoning tokens is used up: 200 of 150.",
        ),
        (Limits(max_cost_usd=0.9), 2, StopReason.BUDGET, "The budget of US dollars is used up: 1 of 0.9."),
    ],
)
async def test_a_run_stops_before_the_model_call_it_cannot_pay(
    limits: Limits, calls: int, reason: StopReason, detail: str
) -> None:
    """Each limit stops the run before it is overstepped, with its name and the numbers."""
    state = await run(limits, *turns(5))
    assert state.run.model_calls == calls
    assert state.stop is not None
    (field,) = (name for name in FIELDS if getattr(limits, name) is not None)
    hint = f"Raise the limit ({flag(field)}, or [budget] {field})."
    assert (state.stop.reason, state.stop.detail) == (reason, f"{detail} {hint}")


@pytest.mark.row(14)
@pytest.mark.port("Budget gate")
@pytest.mark.parametrize(
    "limits",
    [
        Limits(max_turns=0), Limits(max_model_calls=0), Limits(max_total_tokens=0),
        Limits(max_input_tokens=0),
        Limits(max_output_tokens=0), Limits(max_cost_usd=0.0), Limits(max_reasoning_tokens=0),
        Limits(max_session_turns=0),
    ],
)  # fmt: skip
async def test_run_with_a_budget_of_zero_asks_no_model(limits: Limits) -> None:
    """Nothing to spend, nothing asked. The model was never asked."""
    state = await run(limits)
    assert state.run.model_calls == 0
    assert state.run.turns == 0


async def test_run_without_limits_is_not_stopped() -> None:
    state = await run(Limits(), *turns(3), say())
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN


@pytest.mark.row(13)
async def test_the_tool_call_that_is_too_many_is_refused_and_then_the_run_ends() -> None:
    """Tool calls."""
    tool = look()
    state = await run(Limits(max_tool_calls=2), *turns(4), tool=tool)
    assert len(tool.done) == 2
    assert state.run.tool_calls == 2
    assert results(state)["c2"] == "Not run: nothing is left of the 2 tool calls of this run."
    assert state.stop is not None
    assert state.stop.detail.startswith("The budget of tool calls is used up: 2 of 2. Raise the limit (")


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

    features = [
        Feature(name="critic", before_turn=raise_it),
        budget_room(),
        Feature(name="tools", tools=(tool,)),
    ]
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


def test_limits_come_from_options_then_from_what_is_usual() -> None:
    usual = Limits(max_tool_calls=7, max_cost_usd=2.5, max_seconds=60.0)
    options = {
        "maxTotalTokens": 1000, "maxToolCalls": 3, "maxCostUsd": 0, "maxInputTokens": None, "model": "fast",
        "maxSeconds": 7.5, "maxSessionTurns": 40, "maxDelegatedTasks": 2,
    }  # fmt: skip
    assert limits_from(options, usual) == Limits(
        max_tool_calls=3, max_total_tokens=1000, max_cost_usd=0, max_seconds=7.5, max_session_turns=40,
        max_delegated_tasks=2,
    )  # fmt: skip
    assert limits_from({}, usual) == usual


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("maxTurns", -1), ("maxTurns", 1.5), ("maxTurns", "3"), ("maxTurns", True), ("maxModelCalls", [1]),
        ("maxToolCalls", {}), ("maxTotalTokens", math.inf), ("maxCostUsd", math.nan), ("maxCostUsd",
        math.inf),
        ("maxCostUsd", -0.1), ("maxCostUsd", "1"), ("maxSeconds", "60"), ("maxSeconds", True),
        ("maxSeconds", math.nan), ("maxSessionTurns", 0.5), ("maxReasoningTokens", "9"),
        ("maxDelegatedTasks", -1),
    ],
)  # fmt: skip
def test_nonsense_is_refused_by_name(option: str, value: object) -> None:
    with pytest.raises(ValueError, match=rf"^{option} must be a .*, 0 or more, not "):
        limits_from({option: value}, Limits())


@pytest.mark.parametrize(
    "bad",
    [
        {"max_turns": -1},
        {"max_cost_usd": math.nan},
        {"turns": 3},
        {"day": {"max_turns": -1}},
        {"session": {"max_session_turns": 3}},
        {"callers": {"ci": 5}},
    ],
)
def test_invalid_budget_settings_are_refused(bad: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        Settings.model_validate(bad)


@pytest.mark.row(15)
async def test_spending_of_children_and_helpers_counts_for_the_run() -> None:
    """A child used 5,000 tokens of a limit of 1,000; the run stops, and its totals have them."""

    async def delegate(view: RunView) -> list[LimitsChanged]:
        if view.state.run.turns == 1:
            usage = Usage(input_tokens=4000, output_tokens=1000)
            view.record(Used("agent", usage, 0.5, model_calls=7, tool_calls=3, delegated_tasks=1))
        return []

    agents, tools = Feature(name="agents", before_turn=delegate), Feature(name="tools", tools=(look(),))
    features = [agents, budget_room(), tools]
    state = await check(*turns(1), facts=None, features=features, limits=Limits(max_total_tokens=1000))
    assert state.stop is not None
    assert state.stop.detail.startswith("The budget of tokens is used up: 6000 of 1000.")
    assert (state.run.model_calls, state.run.tool_calls, state.run.delegated_tasks) == (8, 4, 1)
    assert (state.used_by["agent"].total_tokens, state.run.cost) == (5000, 1.0)
    assert left(Limits(max_delegated_tasks=1, max_tool_calls=9), state.run) == Limits(
        max_delegated_tasks=0, max_tool_calls=5
    )


@pytest.mark.row(13, 15)
@pytest.mark.parametrize("tool", ["delegate", "agent__reviewer", "look"])
async def test_a_session_that_may_delegate_no_more_does_the_rest_itself(tool: str) -> None:
    """Delegated tasks; a call that hands work to others is refused, any other is not."""
    room = budget_room(Allowance(session=Limits(max_delegated_tasks=0)))
    features = [room, Feature(name="t", tools=(FakeDoer(tool, Effect.READS),))]
    state = await check(use(do("c0", tool)), say(), facts=None, features=features)
    refused = "Not run: nothing is left of the 0 delegated tasks of this session."
    assert results(state)["c0"] == ("ok" if tool == "look" else refused)
    assert state.stop is not None
    assert state.stop.reason is StopReason.END_TURN
