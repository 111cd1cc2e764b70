"""The `[budget]` section of the configuration: what may be spent, unlimited where nothing is said."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from pydantic import ConfigDict, NonNegativeFloat, NonNegativeInt, create_model

from agls.engine.limits import FIELDS, KINDS, tightest
from agls.engine.vocabulary import Limits
from agls.room import Table
from agls.room.budgets import Allowance
from agls.room.limit_options import UNITS

ANYBODY = "*"  # the name of the callers that have no limits of their own


_NUMBER: Any = NonNegativeFloat
_COUNT: Any = NonNegativeInt
_KINDS: dict[str, Any] = {
    kind.field: ((_NUMBER if kind.field in UNITS else _COUNT) | None, None) for kind in KINDS
}


class Amounts(create_model("Kinds", __base__=Table, **_KINDS)):
    """The most of each kind. 0 is none at all: `max_model_calls = 0` makes no call. Cost is US dollars."""

    model_config = ConfigDict(allow_inf_nan=False)

    @cached_property
    def limits(self) -> Limits:
        """The same as the engine's limits."""
        return Limits(**{name: getattr(self, name) for name in FIELDS if name in type(self).model_fields})


UNLIMITED = Amounts.model_construct()


class Settings(Amounts):
    """The limits of one run; below it those of a whole session, of a day (UTC), of a caller on a day.

    `max_session_turns` is the same as `session.max_turns`. The limits of a caller are under its name, those
    of every other caller under `*`.
    """

    max_session_turns: NonNegativeInt | None = None
    session: Amounts = UNLIMITED
    day: Amounts = UNLIMITED
    callers: Mapping[str, Amounts] = {}

    def caller(self, name: str) -> Amounts:
        """Return the limits of this caller on a day."""
        return self.callers.get(name) or self.callers.get(ANYBODY) or UNLIMITED

    @property
    def limits_cost(self) -> bool:
        """Whether any of them limits what may be paid."""
        every = (self, self.session, self.day, *self.callers.values())
        return any(amounts.limits.max_cost_usd is not None for amounts in every)

    def allowance(self, policy: "Settings", who: str) -> Allowance:
        """Return the allowance of `who` by these settings, and by the managed file's policy above them."""
        return Allowance(
            session=tightest(self.session.limits, policy.session.limits),
            day=tightest(self.day.limits, policy.day.limits),
            caller=tightest(self.caller(who).limits, policy.caller(who).limits),
            most=policy.limits,
            who=who,
        )
