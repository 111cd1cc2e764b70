"""Arguments of a Gemini call that arrive in pieces, each with a path."""

from itertools import pairwise
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.regex import regex

STEP = regex(r"\.([^.\[\]]+)|\[(\d{1,4})\]|\[['\"]([^'\"]*)['\"]\]")
VALUES = ("stringValue", "numberValue", "boolValue", "nullValue")


def placed(arguments: JsonObject, piece: JsonObject) -> None:
    """Insert one `partialArgs` piece at its path; text is appended to the text there.

    A piece with an invalid path or without a value changes nothing.
    """
    path = str(piece.get("jsonPath") or "")
    steps = [int(step[2]) if step[2] else step[1] or step[3] or "" for step in STEP.finditer(path)]
    key = next((key for key in VALUES if key in piece), None)
    if not steps or key is None:
        return
    holder: object = arguments
    for step, following in pairwise(steps):
        if not isinstance(_at(holder, step), dict | list):
            _put(holder, step, list[Any]() if isinstance(following, int) else dict[str, Any]())
        holder = _at(holder, step)
    there, value = _at(holder, steps[-1]), None if key == "nullValue" else piece[key]
    _put(holder, steps[-1], there + value if isinstance(there, str) and isinstance(value, str) else value)


def _at(holder: object, step: str | int) -> object:
    if isinstance(holder, dict) and isinstance(step, str):
        return cast("JsonObject", holder).get(step)
    if isinstance(holder, list) and isinstance(step, int):
        items = cast("list[Any]", holder)
        return items[step] if step < len(items) else None
    return None


def _put(holder: object, step: str | int, value: object) -> None:
    if isinstance(holder, dict) and isinstance(step, str):
        cast("JsonObject", holder)[step] = value
    elif isinstance(holder, list) and isinstance(step, int):
        items = cast("list[Any]", holder)
        items.extend([None] * (step + 1 - len(items)))
        items[step] = value
