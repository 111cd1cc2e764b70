"""The `[budget]` section of the configuration: what may be spent, unlimited where nothing is said."""

from collections.abc import Mapping
from functools import cached_property

from pydantic import ConfigDict, NonNegativeFloat, NonNegativeInt

from agls.engine.vocabulary import Limits
from agls.room import Table

ANYBODY = "*"  # the name of the callers that have no limits of their own


class Amounts(Table):
    """The most of each kind. 0 is none at all: `max_model_calls = 0` makes no call. Cost is US dollars."""

    model_config = ConfigDict(allow_inf_nan=False)

    max_turns: NonNegativeInt | None = None
    max_model_calls: NonNegativeInt | None = None
    max_tool_calls: NonNegativeInt | None = None
    max_delegated_tasks: NonNegativeInt | None = None
    max_total_tokens: NonNegativeInt | None = None
    max_input_tokens: NonNegativeInt | None = None
    max_output_tokens: NonNegativeInt | None = None
    max_reasoning_tokens: NonNegativeInt | None = None
    max_cost_usd: NonNegativeFloat | None = None
    max_seconds: NonNegativeFloat | None = None

    @cached_property
    def limits(self) -> Limits:
        """The same as the engine's limits."""
        return Limits(**{name: getattr(self, name) for name in Amounts.model_fields})


UNLIMITED = Amounts()


class Settings(Amounts):
    """The limits of one run; below it those of a whole session, of a day (UTC), of a caller on a day.

    `max_session_turns` is the same as `session.max_turns`. The limits of a caller are under its name, those
    of every other caller under `*`.
    """

    max_session_turns: NonNegativeInt | None = None
    session: Amounts = Amounts()
    day: Amounts = Amounts()
    callers: Mapping[str, Amounts] = {}

    @cached_property
    def limits(self) -> Limits:
        """The limits of a run."""
        values = {name: getattr(self, name) for name in (*Amounts.model_fields, "max_session_turns")}
        return Limits(**values)

    def caller(self, name: str) -> Amounts:
        """What this caller may spend on a day."""
        return self.callers.get(name) or self.callers.get(ANYBODY) or UNLIMITED
