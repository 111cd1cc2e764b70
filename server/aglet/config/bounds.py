"""What a run may spend and has to give: from its options, the configuration, and the door it came through."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from aglet.config.agents import agent_of
from aglet.config.schema import Config
from aglet.engine.vocabulary import JsonObject, Limits
from aglet.features.budget.limits import limits_from
from aglet.features.budget.settings import Settings as Budget
from aglet.features.deadline.settings import Settings as Deadline
from aglet.features.deadline.settings import seconds_from
from aglet.features.output_schema.settings import schema_from

EDITOR, HEADLESS = (100, None), (12, 60.0)  # turns and seconds of a run for which nobody set a limit


@dataclass(frozen=True, slots=True)
class Bounds:
    """The limits of a run, its seconds (`None`: no end), and the schema of its answer ({}: any)."""

    limits: Limits
    seconds: float | None
    schema: JsonObject

    @property
    def spending(self) -> tuple[Limits, float | None]:
        """The limits and the seconds."""
        return self.limits, self.seconds


def bounds_of(config: Config, options: Mapping[str, object], *, headless: bool) -> Bounds:
    """The bounds of a run with these options. Raises `ValueError`."""
    turns, seconds = HEADLESS if headless else EDITOR
    own = agent_of(config.agents, options).limits
    budget = Budget(**{name: _lower(value, getattr(own, name)) for name, value in config.budget})
    deadline = Deadline(max_seconds=_lower(config.deadline.max_seconds, own.max_seconds))
    return Bounds(
        limits_from(options, budget, turns), seconds_from(options, deadline, seconds), schema_from(options)
    )


def _lower(one: float | None, other: float | None) -> Any:
    given = [limit for limit in (one, other) if limit is not None]
    return min(given, default=None)


def asked(options: Mapping[str, object]) -> tuple[Limits, float | None]:
    """What the options alone say of limits and seconds. Raises `ValueError`."""
    usual = Config()
    return limits_from(options, usual.budget, None), seconds_from(options, usual.deadline, None)
