"""How well a name fits what somebody has typed of it."""

from collections.abc import Callable, Iterable
from heapq import nsmallest
from typing import TypeVar

Named = TypeVar("Named")


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
    return int(all(letter in letters for letter in typed))


def best(
    candidates: Iterable[Named], typed: str, name: Callable[[Named], str], most: int
) -> tuple[list[Named], bool]:
    """**Returns** those that fit, the best first, and whether there are more than `most`.

    Of two that fit as well the shorter name comes first, then the one that came first.
    """
    ranked = (
        (-found, len(name(candidate)) if typed else 0, place, candidate)
        for place, candidate in enumerate(candidates)
        if (found := fit(name(candidate), typed))
    )
    chosen = nsmallest(most + 1, ranked, key=lambda row: row[:3])
    return [row[3] for row in chosen[:most]], len(chosen) > most
