"""The `[deadline]` section of the configuration, and the option that stands above it."""

import math
from collections.abc import Mapping

from pydantic import BaseModel, ConfigDict, NonNegativeFloat

OPTION = "maxSeconds"


class Settings(BaseModel):
    """The wall-clock seconds of one run. 0 is none at all; where nothing is said the door decides."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    max_seconds: NonNegativeFloat | None = None


def seconds_from(
    options: Mapping[str, object], settings: Settings, default: float | None = None
) -> float | None:
    """The seconds of a run: its option, then the configuration, then the door's own; `None` is no limit.

    Raises `ValueError`, which says what is expected.
    """
    given = options.get(OPTION)
    if given is None:
        return default if settings.max_seconds is None else settings.max_seconds
    fits = isinstance(given, int | float) and not isinstance(given, bool)
    if not fits or not isinstance(given, int | float) or not math.isfinite(given) or given < 0:
        raise ValueError(f"{OPTION} must be a number of seconds, 0 or more, not {given!r}")
    return given
