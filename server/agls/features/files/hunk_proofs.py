"""What shows which of several places a hunk means: the numbers of its diff, and the hunks that follow it."""

import re
from collections.abc import Sequence

from agls.regex import regex

from .bare_hunks import shift_above
from .hunk_order import margin
from .hunk_spots import Spot
from .patch_parts import PatchHunk

SURE = 3  # lines with which a hunk means its place, whatever it names
CLEAR = 2  # lines that stay with which a hunk means the first place below the hunk before it
_DEFINED = regex(
    r"(?:\b(?:def|class|function|func|fn|struct|enum|trait|interface|module|type|const|let|var)\s+|^\s*)(\w+)"
    r"(?=\s*(?:[(<{:=]|$))"
)
_HEAD = regex(r"\s*[A-Za-z_$]")


def line_meant(hunk: PatchHunk, hunks: Sequence[PatchHunk], lines: Sequence[str]) -> int:
    """Return the line (from 1) on which a hunk of a diff begins; 0 when nothing shows it.

    It is the one that it names, or as far from that as the hunks are which stand in one place only. Without
    lines that stay around it, its numbers have to be exact, and its section has to be that of the place.
    """
    others = [other for other in hunks if other.number != hunk.number and other.line]
    off = {start + 1 - (other.line or 0) for other in others for start in _only_place(other, lines)}
    if hunk.line is None or len(off) > 1:
        return 0
    if is_bare(hunk) and (off or {int(_numbers_agree(hunk, hunks)) - 1}) != {0}:
        return 0
    line = hunk.line + next(iter(off), 0)
    return line if not is_bare(hunk) or is_in_section(hunk, line, lines) else 0


def is_bare(hunk: PatchHunk) -> bool:
    """Return whether no line stays that would show where a hunk belongs."""
    return not any(text.strip() for text in hunk.having(" "))


def is_in_section(hunk: PatchHunk, line: int, lines: Sequence[str]) -> bool:
    """Return whether a line (from 1) is in the section that a hunk names, if it names one."""
    section = hunk.section.strip()
    above = range(min(line, len(lines)) - 1, -1, -1)
    head = next((at for at in above if lines[at].lstrip().startswith(section)), None)
    if not section or head is None:
        return not section
    between = (each for each in lines[head + 1 : line - 1] if _HEAD.match(each))
    return all(margin(each) > margin(lines[head]) for each in between)


def in_section(hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str]) -> Spot | None:
    """Return the spot nearest to the line of the diff, if it is the first one below its section line."""
    if not hunk.section or hunk.line is None:
        return None
    stand = [at for at, line in enumerate(lines) if line.startswith(hunk.section)]
    below = next((spot for spot in spots if stand and spot.stop > stand[0]), None)
    far = sorted(abs(spot.start + 1 - hunk.line) for spot in spots)
    is_nearest = below and abs(below.start + 1 - hunk.line) == far[0] < far[1]
    return below if len(stand) == 1 and is_nearest else None


def before_the_next(
    hunk: PatchHunk, spots: Sequence[Spot], hunks: Sequence[PatchHunk], lines: Sequence[str]
) -> Sequence[Spot]:
    """Return the spots that leave room below them for the hunks that follow, in the order of the file."""
    following = hunks[hunk.number :]
    room = len(lines) + 1
    for other in reversed(following if len(spots) > 1 else ()):
        heads = [place for place in exact_places(other, lines) if place + _changed(other) <= room]
        room = max(heads, default=room) + _first(other) if heads else room
    return [spot for spot in spots if spot.changed <= room]


def unknown_name(hunk: PatchHunk, hunks: Sequence[PatchHunk], lines: Sequence[str]) -> str:
    """Return the anchor that defines something of which neither the file nor the patch knows the name.

    "" if there is none, or the lines of the hunk say enough without it.
    """
    if len([text for text in hunk.old if text.strip()]) >= SURE:
        return ""
    known = "\n".join([*lines, *(text for other in hunks for text in other.new)])
    for anchor in hunk.anchors:
        found = _DEFINED.search(anchor)
        if found and not re.search(rf"\b{re.escape(found[1])}\b", known):
            return anchor.strip()[:80]
    return ""


def exact_places(hunk: PatchHunk, lines: Sequence[str]) -> Sequence[int]:
    """Return where the old lines of a hunk stand, exactly: the indexes of their first one."""
    old = hunk.old
    starts = (at for at, line in enumerate(lines) if old and line == old[0])
    return [at for at in starts if lines[at : at + len(old)] == old]


def _first(hunk: PatchHunk) -> int:
    return Spot(0, hunk.rows).first


def _changed(hunk: PatchHunk) -> int:
    return Spot(0, hunk.rows).changed


def _only_place(hunk: PatchHunk, lines: Sequence[str]) -> Sequence[int]:
    places = exact_places(hunk, lines)
    return places if len(places) == 1 else ()


def _numbers_agree(hunk: PatchHunk, hunks: Sequence[PatchHunk]) -> bool:
    return not hunk.new_line or hunk.new_line == (hunk.line or 0) + shift_above(hunk, hunks)
