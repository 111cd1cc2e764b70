"""Findings of the doctor on one topic."""

from collections.abc import Iterable, Iterator
from typing import Literal

from agls.frozen import frozen

Status = Literal["pass", "warn", "fail"]

MANY = 4  # places
NAMED = 2  # of many


@frozen
class Finding:
    """The result of one check of a topic; `fix` says what to change unless it passed."""

    topic: str
    status: Status
    text: str
    fix: str = ""


def told_once(said: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield what is to be said of these places, each with its text; what holds for many is said once."""
    places: dict[str, list[str]] = {}
    for place, text in said:
        places.setdefault(text, []).append(place)
    for text, of in places.items():
        if len(of) < MANY:
            yield from (f"{place}: {text}" for place in of)
        else:
            yield f"{len(of)} files, {', '.join(of[:NAMED])} …: {text}"
