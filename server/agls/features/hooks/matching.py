"""The matcher of a hook: names, or a regular expression that fits anywhere in a name.

The expressions are those of Rust's `regex`, as pydantic has it, which looks at each character once: one of
Python's could take years for a name that the model chose (docs/decisions/976).
"""

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from agls.regex import regex

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

_NAMES = regex(r"[\w\s,|-]*")
_ALL_BUT = regex(r"\^?\(\?!(.+)\)(?:\.[*+])?\$?", re.DOTALL)
INSTEAD = "write the names that it is for, as in Edit|Write, or all but some as ^(?!Bash|Read)"
_BETWEEN = regex(r"[,|]")
_SURROGATES = regex(r"[\ud800-\udfff]")


def check_matcher(matcher: str) -> None:
    """Check that a matcher can be understood. **Raises** `ValueError`."""
    if not _NAMES.fullmatch(matcher):
        _expression(_left_out(matcher) or matcher)


def matches(matcher: str, *subjects: str) -> bool:
    """**Returns** whether a matcher is for what has these names: one of them, or none that it leaves out."""
    if _NAMES.fullmatch(matcher):
        return not {*subjects}.isdisjoint(name.strip() for name in _BETWEEN.split(matcher))
    if left_out := _left_out(matcher):
        return bool(subjects) and not any(fits_anywhere(left_out, each) for each in subjects)
    return any(fits_anywhere(matcher, each) for each in subjects)


def check_expression(expression: str) -> None:
    """Check that an expression can be understood, whatever is in it. **Raises** `ValueError`."""
    _expression(expression)


def fits_anywhere(expression: str, text: str) -> bool:
    """**Returns** whether an expression fits somewhere in a text."""
    return _expression(expression).isinstance_python(_SURROGATES.sub("\ufffd", text))


@lru_cache(maxsize=64)
def _left_out(matcher: str) -> str:
    """Return the expression of what a matcher like `^(?!Bash|Read)` leaves out, "" for another one.

    It is the one spelling with a look-ahead that is understood: what fits it is what its inside does not fit.
    """
    found = _ALL_BUT.fullmatch(matcher)
    if not found:
        return ""
    inside = found[1]
    try:  # whether the first parenthesis closes at the end: else something stands between two of them
        _expression(inside)
    except ValueError:
        return ""
    return f"^(?:{inside})"


@lru_cache(maxsize=256)
def _expression(matcher: str) -> "SchemaValidator":
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # noqa: PLC0415 - few are expressions

    try:
        return SchemaValidator(core_schema.str_schema(pattern=matcher))
    except SchemaError as problem:
        reason = str(problem).splitlines()[-1].rpartition("rror: ")[2].strip()
        if "look-around" in reason:
            reason += f"; {INSTEAD}"
        raise ValueError(f"the matcher is no regular expression: {reason}") from None
