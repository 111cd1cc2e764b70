"""The matcher of a hook: names, or a regular expression that fits anywhere in a name.

The expressions are those of Rust's `regex`, as pydantic has it, which looks at each character once: one of
Python's could take years for a name that the model chose (docs/decisions/976).
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from agls.regex import regex

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

_NAMES = regex(r"[\w\s,|-]*")
_SIGN = regex(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?!|.", re.DOTALL)
BEFORE_AND_IN = 2  # pieces of an alternative
INSTEAD = "write the names that it is for, as in Edit|Write, or all but some as ^(?!Bash|Read)"
_BETWEEN = regex(r"[,|]")
_SURROGATES = regex(r"[\ud800-\udfff]")


def check_matcher(matcher: str) -> None:
    """Check that a matcher can be understood. **Raises** `ValueError`."""
    if not _NAMES.fullmatch(matcher):
        for wanted, unless in _branches(matcher):
            _expression(wanted)
            _expression(unless)


def matches(matcher: str, *subjects: str) -> bool:
    """**Returns** whether a matcher is for what has these names: one of them, or none that it leaves out."""
    if _NAMES.fullmatch(matcher):
        return not {*subjects}.isdisjoint(name.strip() for name in _BETWEEN.split(matcher))
    return any(
        any(fits_anywhere(wanted, each) for each in subjects)
        and not (unless and any(fits_anywhere(unless, each) for each in subjects))
        for wanted, unless in _branches(matcher)
    )


def check_expression(expression: str) -> None:
    """Check that an expression can be understood, whatever is in it. **Raises** `ValueError`."""
    _expression(expression)


def fits_anywhere(expression: str, text: str) -> bool:
    """**Returns** whether an expression fits somewhere in a text."""
    return _expression(expression).isinstance_python(_SURROGATES.sub("\ufffd", text))


@lru_cache(maxsize=64)
def _branches(matcher: str) -> Sequence[tuple[str, str]]:
    """Return what each alternative of a matcher is for, and what it leaves out ("": nothing).

    One look ahead is understood in each, in no parentheses: `a(?!b)c` is for `ac`, but for no `ab`.
    """
    found: list[tuple[str, str]] = []
    pieces = [""]  # of an alternative: what stands before its look ahead, in it, behind it
    depth = 0
    for sign in (each[0] for each in _SIGN.finditer(matcher)):
        if sign == "(?!" and depth == 0 and len(pieces) == 1:
            pieces.append("")
            depth = 1
            continue
        depth += 1 if sign[0] == "(" else -1 if sign == ")" else 0
        if sign == ")" and depth == 0 and len(pieces) == BEFORE_AND_IN:
            pieces.append("")
        elif sign == "|" and depth == 0:
            found.append(_branch(pieces))
            pieces = [""]
        else:
            pieces[-1] += sign
    if len(pieces) == BEFORE_AND_IN:  # it is not closed
        return [(matcher, "")]
    return [*found, _branch(pieces)]


def _branch(pieces: Sequence[str]) -> tuple[str, str]:
    if len(pieces) == 1:
        return pieces[0], ""
    before, inside, behind = pieces
    return before + behind, f"{before or '^'}(?:{inside})"


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
