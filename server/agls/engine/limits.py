"""Spending, limits, and what is left of them. Pure."""

from collections.abc import Callable
from dataclasses import fields, replace
from functools import lru_cache
from operator import add, sub
from typing import NamedTuple

from agls.engine.facts import Used
from agls.engine.vocabulary import JsonObject, Limits, Usage
from agls.frozen import frozen


class Totals(NamedTuple):
    """What was used. Tokens the provider did not report count as zero; `cost` is US dollars.

    `unpriced` counts model calls whose cost is unknown, so that a sum is never taken for whole, `estimated`
    those whose tokens are not counted but estimated.
    """

    turns: int = 0
    model_calls: int = 0
    tool_calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    cache_read_tokens: int = 0
    cache_write_tokens: int = 0
    cost: float = 0.0
    unpriced: int = 0
    delegated_tasks: int = 0
    estimated: int = 0
    seconds: float = 0.0

    @property
    def total_tokens(self) -> int:
        """Input and output together; cached input and reasoning are inside them."""
        return self.input_tokens + self.output_tokens

    def spent(self, usage: Usage, cost: float | None, calls: int = 1) -> "Totals":
        """Return these totals and the use of model calls."""
        return Totals(
            self.turns,
            self.model_calls + calls,
            self.tool_calls,
            self.input_tokens + (usage.input_tokens or 0),
            self.output_tokens + (usage.output_tokens or 0),
            self.reasoning_tokens + (usage.reasoning_tokens or 0),
            self.cache_read_tokens + (usage.cache_read_tokens or 0),
            self.cache_write_tokens + (usage.cache_write_tokens or 0),
            self.cost + (cost or 0.0),
            self.unpriced + (calls if cost is None else 0),
            self.delegated_tasks,
            self.estimated + (calls if usage.estimated else 0),
            self.seconds,
        )

    def unturned(self) -> "Totals":
        """Return these totals without the turn that a feature answered: no model was asked."""
        return self._replace(turns=self.turns - 1)

    def used(self, fact: Used) -> "Totals":
        """Return these totals and the use of another part than the loop."""
        return self.spent(fact.usage, fact.cost, fact.model_calls)._replace(
            tool_calls=self.tool_calls + fact.tool_calls,
            delegated_tasks=self.delegated_tasks + fact.delegated_tasks,
        )

    def turned(self, seconds: float = 0.0) -> "Totals":
        """Return these totals and one more turn, so many seconds later."""
        return Totals._make((self[0] + 1, *self[1:-1], self[-1] + seconds))

    def called(self) -> "Totals":
        """Return these totals and one more tool call."""
        return self._replace(tool_calls=self.tool_calls + 1)

    def later(self, seconds: float) -> "Totals":
        """Return these totals, so many seconds later."""
        return Totals._make((*self[:-1], self[-1] + seconds))

    def plus(self, other: "Totals") -> "Totals":
        """Return the sum of both."""
        return Totals._make(map(add, self, other))

    def minus(self, other: "Totals") -> "Totals":
        """Return these totals less the others."""
        return Totals._make(map(sub, self, other))


NOTHING = Totals()


@frozen
class Kind:
    """One kind of limit: its field in `Limits`, its name for people, and its count in `Totals`."""

    field: str
    label: str
    used: Callable[[Totals], float]


KINDS = (
    Kind("max_turns", "turns", lambda totals: totals.turns),
    Kind("max_model_calls", "model calls", lambda totals: totals.model_calls),
    Kind("max_tool_calls", "tool calls", lambda totals: totals.tool_calls),
    Kind("max_delegated_tasks", "delegated tasks", lambda totals: totals.delegated_tasks),
    Kind("max_total_tokens", "tokens", lambda totals: totals.total_tokens),
    Kind("max_input_tokens", "input tokens", lambda totals: totals.input_tokens),
    Kind("max_output_tokens", "output tokens", lambda totals: totals.output_tokens),
    Kind("max_reasoning_tokens", "reasoning tokens", lambda totals: totals.reasoning_tokens),
    Kind("max_cost_usd", "US dollars", lambda totals: totals.cost),
    Kind("max_seconds", "seconds", lambda totals: totals.seconds),
)
UNLIMITED = Limits()
FIELDS = tuple(limit.name for limit in fields(Limits))


@lru_cache(maxsize=64)  # they are looked at before each request, and most kinds have none
def limited_kinds(limits: Limits) -> tuple[tuple[Kind, float], ...]:
    """Return the kinds of which there is a limit, with it."""
    said = ((kind, getattr(limits, kind.field)) for kind in KINDS)
    return tuple((kind, most) for kind, most in said if most is not None)


def left(limits: Limits, totals: Totals) -> Limits:
    """Return the rest of the limits, never less than nothing; the turns of the session are not looked at."""
    rest: JsonObject = {kind.field: max(0, most - kind.used(totals)) for kind, most in limited_kinds(limits)}
    return replace(limits, **rest)


def tightest(*limits: Limits) -> Limits:
    """Return the smallest of each limit."""
    some = [each for each in limits if each != UNLIMITED]
    if len(some) < 2:
        return some[0] if some else UNLIMITED
    least: JsonObject = {}
    for field in FIELDS:
        said = (getattr(each, field) for each in some)
        least[field] = min((most for most in said if most is not None), default=None)
    return Limits(**least)
