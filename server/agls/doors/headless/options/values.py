"""Readers of the values of options: a useless value is refused with the useful ones."""

import json
from argparse import ArgumentTypeError
from collections.abc import Callable
from math import isfinite, nan
from pathlib import Path

from agls.doors.headless.options.parser import no_such
from agls.modes import MODES


def folder_name(value: str) -> str:
    """Read a folder's name; an empty one is most likely a variable that is not set."""
    if not value:
        raise ArgumentTypeError("the name of the folder is empty")
    return value


def mode(value: str) -> str:
    """Read the name of a permission mode."""
    if value == "auto":
        known = ", ".join(MODES)
        raise ArgumentTypeError(
            f"auto is not in this version; allowAll runs commands in the sandbox; use {known}"
        )
    if value not in MODES:
        raise ArgumentTypeError(no_such("mode", value, MODES))
    return value


def schema(value: str) -> object:
    """Read the file with a JSON Schema."""
    return _json(value)


def answers(value: str) -> object:
    """Read the file with answers."""
    return _json(value)


def _json(value: str) -> object:
    try:
        return json.loads(Path(value).read_text(encoding="utf-8"))
    except OSError as error:
        raise ArgumentTypeError(f"{value} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError) as error:
        raise ArgumentTypeError(f"{value} is not valid JSON: {error}") from None


def count(value: str) -> int:
    """Read a whole number, 0 or more."""
    if not value.isdecimal():
        raise ArgumentTypeError(f"{value!r} is not a whole number, 0 or more")
    return int(value)


def number_of(what: str) -> Callable[[str], float]:
    """Return a reader of a number of these, 0 or more."""

    def read(value: str) -> float:
        try:
            number = float(value)
        except ValueError:
            number = nan
        if not isfinite(number) or number < 0:
            raise ArgumentTypeError(f"{value!r} is not a number of {what}, 0 or more")
        return number

    return read
