"""The hunks of a file beside each other, where they stand: none of them overlap."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from .hunk_spots import Spot


def free(spots: Iterable[Spot], taken: Sequence[Spot]) -> list[Spot]:
    """Return the spots that change no line which one of the others changes, and add none where it does."""
    return [spot for spot in spots if not any(_collide(spot, other) for other in taken)]


def _collide(one: Spot, other: Spot) -> bool:
    above, below = sorted((one, other), key=lambda spot: spot.first)
    return above.first == below.first or below.first < above.changed


def side_by_side(spots: Iterable[Spot]) -> list[Spot]:
    """Return the spots in the order of the file, without the lines that stay and that two of them name."""
    result: list[Spot] = []
    for each in sorted(spots, key=lambda spot: (spot.first, spot.start)):
        spot = each
        if result and spot.start < result[-1].stop:
            last = result[-1]
            kept = max(spot.start, last.changed) - last.stop
            result[-1] = last = replace(last, rows=last.rows[: len(last.rows) + min(kept, 0)])
            gone = max(last.stop - spot.start, 0)
            spot = replace(spot, start=spot.start + gone, rows=spot.rows[gone:])
        result.append(spot)
    return result


def is_within(start: int, head: int, lines: Sequence[str]) -> bool:
    """Return whether the line at `start` is in the block that the line at `head` begins, by indentation."""
    outer = margin(lines[head])
    return all(margin(line) > outer for line in lines[head + 1 : start + 1] if line.strip())


def margin(line: str) -> int:
    """Return how far a line is indented."""
    wide = line.expandtabs()
    return len(wide) - len(wide.lstrip())
