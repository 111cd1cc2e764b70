"""JSON that somebody else wrote: a value of the wrong type reads as an empty one."""

import json
from typing import Any, TypeGuard

from agls.regex import regex

_COMMENT = regex(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', 16)  # 16: DOTALL
_LAST_COMMA = regex(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


def with_comments(text: str) -> object:
    """Return what JSON says that may have comments and last commas. **Raises** `ValueError`."""
    plain = _COMMENT.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text.removeprefix("\ufeff"))
    try:
        return json.loads(_LAST_COMMA.sub(lambda found: found[1] or "", plain))
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def is_object(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a parsed JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: object) -> TypeGuard[list[Any]]:
    """Return whether a parsed JSON value is an array."""
    return isinstance(value, list)


def value_in(value: object, *names: str) -> Any:
    """Return a member of a member of an object; `None` where there is none."""
    for name in names:
        value = value.get(name) if is_object(value) else None
    return value


def object_in(value: object, *names: str) -> dict[str, Any]:
    """Return the object, or the one inside it at these names; an empty one for anything else."""
    found = value_in(value, *names)
    return found if is_object(found) else {}


def list_in(value: object) -> list[Any]:
    """Return the array; an empty one for anything else."""
    return value if is_list(value) else []


def objects_in(value: object) -> list[dict[str, Any]]:
    """Return the objects of an array, without its other values."""
    return [item for item in list_in(value) if is_object(item)]


def text_in(value: object) -> str:
    """Return the text; an empty one for anything else."""
    return value if isinstance(value, str) else ""
