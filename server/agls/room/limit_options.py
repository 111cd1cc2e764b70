"""Options of the user as the engine's `Limits`, and back."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from agls.engine.limits import FIELDS
from agls.engine.vocabulary import Limits
from agls.names import camel

OPTIONS = {camel(field): field for field in FIELDS}  # protocol#options
NAMES = {field: option for option, field in OPTIONS.items()}
UNITS = {"max_cost_usd": "a number of US dollars", "max_seconds": "a number of seconds"}  # others are counts


def limits_from(options: Mapping[str, object], usual: Limits) -> Limits:
    """**Returns** the limits of a run: its options, and `usual` where they say nothing.

    `null` is the same as not given; options that are no budgets are left to others. Raises
    `ValueError`, which says what is expected.
    """
    said = [(option, options[option]) for option in OPTIONS if options.get(option) is not None]
    if not said:
        return usual
    return replace(usual, **{OPTIONS[option]: _checked(option, given) for option, given in said})


def to_options(limits: Limits, fields: Iterable[str] = NAMES) -> dict[str, float]:
    """**Returns** the limits that are set, by the names of their options."""
    said = ((NAMES[field], getattr(limits, field)) for field in fields)
    return {name: most for name, most in said if most is not None}


def _checked(option: str, given: object) -> float:
    wanted = UNITS.get(OPTIONS[option], "a whole number")
    kinds = int | float if OPTIONS[option] in UNITS else int
    if not isinstance(given, kinds) or isinstance(given, bool) or not math.isfinite(given) or given < 0:
        raise ValueError(f"{option} must be {wanted}, 0 or more, not {given!r}")
    return given
