"""Hunks that only add lines: what shows where they go besides their line number, which may be wrong."""

from collections.abc import Sequence

from agls.regex import regex

from .hunk_spots import Spot
from .lines import numbered
from .patch_parts import PatchHunk

_SECTION = regex(r"[A-Za-z_$]")  # with what git takes a line for the head of a section
NO_PLACE = (
    "Hunk {} only adds lines and does not say where; nothing was changed. Give lines that are there already "
    "around them, with a blank in front."
)


def is_proved(spots: Sequence[Spot], hunks: Sequence[PatchHunk]) -> bool:
    """Return whether hunks with old lines stand exactly where they say, all of them."""
    lines = {hunk.number: hunk.line for hunk in hunks if hunk.old}
    named = [spot for spot in spots if spot.number in lines]
    return bool(named) and all(spot.start + 1 == lines[spot.number] for spot in named)


def is_right(hunk: PatchHunk, hunks: Sequence[PatchHunk], lines: Sequence[str]) -> bool:
    """Return whether both numbers of a hunk agree, and its section or an end of the file with them."""
    line = hunk.line or 0
    if hunk.comes_at != line + shift_above(hunk, hunks):
        return False
    above = lines[: line - 1]
    head = next((line for line in reversed(above) if _SECTION.match(line)), "")
    return head.startswith(hunk.section) if hunk.section else line in {1, len(lines) + 1}


def shift_above(hunk: PatchHunk, hunks: Sequence[PatchHunk]) -> int:
    """Return how many lines more there are above a hunk afterwards, by the numbers of the others."""
    above = [other for other in hunks if 0 < (other.line or 0) < (hunk.line or 0)]
    return sum(len(other.new) - len(other.old) for other in above)


def placeless(hunk: PatchHunk, lines: Sequence[str], most: int, width: int) -> str:
    """Return why lines are not added, and those that stand around the number that the hunk gives."""
    told = NO_PLACE.format(hunk.number)
    if hunk.line is None or hunk.line > len(lines) + 1:
        return told
    first = max(hunk.line - 1 - most // 2, 0)
    shown = numbered(list(lines[first : first + most]), first + 1, width)
    return "\n".join([f"{told} Around line {hunk.line - 1} the file has:", *shown])
