"""What a run may spend: its options, then the configuration, then what the door says."""

from collections.abc import Mapping

from aglet.config.schema import Config
from aglet.engine.recovering import Bounds
from aglet.features.budget.limits import limits_from
from aglet.features.deadline.settings import seconds_from


def bounds(config: Config, options: Mapping[str, object], turns: int | None, seconds: float | None) -> Bounds:
    """The limits and the seconds of a run that begins anew; the door has so many turns and seconds.

    Raises `ValueError`, which says what is expected.
    """
    return limits_from(options, config.budget, turns), seconds_from(options, config.deadline, seconds)


def asked(options: Mapping[str, object]) -> Bounds:
    """What the options alone say. Raises `ValueError`."""
    return bounds(Config(), options, None, None)
