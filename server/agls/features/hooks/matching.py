"""The matcher of a hook: names, or a regular expression that fits anywhere in a name.

The expressions are those of Rust's `regex`, as pydantic has it, which looks at each character once: one of
Python's could take years for a name that the model chose (docs/decisions/976).
"""

from functools import lru_cache
from typing import TYPE_CHECKING

from agls.regex import regex

if TYPE_CHECKING:
    from pydantic_core import SchemaValidator

_NAMES = regex(r"[\w\s,|-]*")
_BETWEEN = regex(r"[,|]")
_SURROGATES = regex(r"[\ud800-\udfff]")


def check_matcher(matcher: str) -> None:
    """Check that a matcher can be understood. **Raises** `ValueError`."""
    if not _NAMES.fullmatch(matcher):
        _expression(matcher)


def matches(matcher: str, subject: str) -> bool:
    """**Returns** whether a matcher, is for this subject."""
    if _NAMES.fullmatch(matcher):
        return subject in {name.strip() for name in _BETWEEN.split(matcher)}
    return fits_anywhere(matcher, subject)


def check_expression(expression: str) -> None:
    """Check that an expression can be understood, whatever is in it. **Raises** `ValueError`."""
    _expression(expression)


def fits_anywhere(expression: str, text: str) -> bool:
    """**Returns** whether an expression fits somewhere in a text."""
    return _expression(expression).isinstance_python(_SURROGATES.sub("\ufffd", text))


@lru_cache(maxsize=256)
def _expression(matcher: str) -> "SchemaValidator":
    from pydantic_core import SchemaError, SchemaValidator, core_schema  # noqa: PLC0415 - few are expressions

    try:
        return SchemaValidator(core_schema.str_schema(pattern=matcher))
    except SchemaError as problem:
        reason = str(problem).splitlines()[-1].rpartition("rror: ")[2].strip()
        raise ValueError(f"the matcher is no regular expression: {reason}") from None
