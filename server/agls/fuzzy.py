"""How well a name fits what somebody has typed of it."""

from collections.abc import Callable, Iterable
from heapq import nsmallest
from typing import TypeVar

Named = TypeVar("Named")
_LETTERS = 1  # how well a name fits that has the letters in their order, with others between them


def fit(name: str, typed: str) -> int:
    """**Returns** how well a path or another name fits, 0 for not at all; its last part counts most."""
    name, typed = name.lower(), typed.lower()
    last = name.rstrip("/").rpartition("/")[2]
    if last.startswith(typed):
        return 4
    if typed in last:
        return 3
    if typed in name:
        return 2
    letters = iter(name)
    return _LETTERS if all(letter in letters for letter in typed) else 0


def best(
    candidates: Iterable[Named], typed: str, name: Callable[[Named], str], most: int
) -> tuple[list[Named], bool]:
    """**Returns** those that fit, the best first, and whether there are more than `most`.

    Of two that fit as well the shorter name comes first, then the one that came first. Names that only have
    the same letters here and there count where no other fits.
    """
    fitting = [
        (-found, len(name(candidate)) if typed else 0, place, candidate)
        for place, candidate in enumerate(candidates)
        if (found := fit(name(candidate), typed))
    ]
    near = [row for row in fitting if row[0] < -_LETTERS]
    chosen = nsmallest(most + 1, near or fitting, key=lambda row: row[:3])
    return [row[3] for row in chosen[:most]], len(chosen) > most
