"""From what the user wrote to the engine's `Limits`, and from limits and totals to what is used up."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from aglet.engine.state import Totals
from aglet.engine.vocabulary import Limits, StopReason
from aglet.features.budget.settings import Settings

# The wire's names (`protocol.md` part 6) and the fields they set.
OPTIONS = {
    "maxTurns": "max_turns",
    "maxModelCalls": "max_model_calls",
    "maxToolCalls": "max_tool_calls",
    "maxTotalTokens": "max_total_tokens",
    "maxInputTokens": "max_input_tokens",
    "maxOutputTokens": "max_output_tokens",
    "maxCostUsd": "max_cost_usd",
}


@dataclass(frozen=True, slots=True)
class Budget:
    """One limit: its field in `Limits`, its name for people, and what was used of it."""

    field: str
    label: str
    used: Callable[[Totals], float]
    reason: StopReason = StopReason.BUDGET


BUDGETS = (
    Budget("max_turns", "turns", lambda totals: totals.turns, StopReason.MAX_TURNS),
    Budget("max_model_calls", "model calls", lambda totals: totals.model_calls),
    Budget("max_total_tokens", "tokens", lambda totals: totals.total_tokens),
    Budget("max_input_tokens", "input tokens", lambda totals: totals.input_tokens),
    Budget("max_output_tokens", "output tokens", lambda totals: totals.output_tokens),
    Budget("max_cost_usd", "US dollars", lambda totals: totals.cost),
)


def limits_from(
    options: Mapping[str, object], settings: Settings, default_turns: int | None = None
) -> Limits:
    """The limits of a run: its options, then the configuration, then the door's own number of turns.

    `null` is the same as not given; options that are no budgets are left to others. Raises
    `ValueError`, which says what is expected.
    """
    values = settings.model_dump()
    if values["max_turns"] is None:
        values["max_turns"] = default_turns
    for option, field in OPTIONS.items():
        if (given := options.get(option)) is not None:
            values[field] = _checked(option, given, whole=field != "max_cost_usd")
    return Limits(**values)


def used_up(limits: Limits, totals: Totals) -> Iterator[tuple[Budget, float]]:
    """The budgets of which nothing is left, with their limits."""
    for budget in BUDGETS:
        limit = getattr(limits, budget.field)
        if limit is not None and budget.used(totals) >= limit:
            yield budget, limit


def _checked(option: str, given: object, *, whole: bool) -> float:
    wanted = "a whole number" if whole else "a number of US dollars"
    fits = isinstance(given, int if whole else int | float) and not isinstance(given, bool)
    if not fits or not isinstance(given, int | float) or not math.isfinite(given) or given < 0:
        raise ValueError(f"{option} must be {wanted}, 0 or more, not {given!r}")
    return given
