"""The single changes of a patch: which there are, a text with some of them, where each stands later."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

_HEAD = re.compile(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
_NO_NEWLINE = "\\ No newline at end of file"
# How many lines before and after a change must be as they were: as many as possible. Next to the change
# there may be edits of the user on one side; then the other side has to be whole.
_CONTEXTS = ((3, 3), (2, 2), (1, 1), (3, 0), (0, 3))

AROUND = 3  # lines

Row = tuple[str, str]  # the sign and the line


class Hunk(NamedTuple):
    """Lines that took the place of others (with their ends), and the unchanged lines around them.

    `was` and `line` (zero-based) are where it begins in the text before and after the patch.
    """

    before: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    after: tuple[str, ...]
    was: int
    line: int


def lines_of(text: str) -> list[str]:
    """The lines of a text with their ends, as a patch knows them: only LF ends a line."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def read_patch(patch: str) -> list[Hunk]:
    """The single changes of a unified diff. A block that was cut off is left out."""
    rows = patch.split("\n")
    found: list[Hunk] = []
    for at, row in enumerate(rows):
        if head := _HEAD.match(row):
            old_start, old_count, new_start, new_count = map(int, head.groups())
            if block := _block(rows[at + 1 :], old_count, new_count):
                was, line = old_start - bool(old_count), new_start - bool(new_count)
                found += _changes(block, was, line)
    return found


def numbered(changes: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, Hunk]]:
    """The single changes of files as a question shows them (`patch`): by id, with the place of their file."""
    patches = [str(change.get("patch", "")) for change in changes]
    return {
        f"{place}/{number}": (place, hunk)
        for place, patch in enumerate(patches)
        for number, hunk in enumerate(read_patch(patch))
    }


def made(text: str, hunks: Iterable[Hunk]) -> str:
    """The text before a patch, with only these of its changes made."""
    lines = lines_of(text)
    for hunk in sorted(hunks, key=lambda hunk: hunk.was, reverse=True):
        lines[hunk.was : hunk.was + len(hunk.old)] = hunk.new
    return "".join(lines)


def find(hunk: Hunk, lines: Sequence[str], line: int) -> int | None:
    """Where the change stands in these lines: at `line` if it can be, else at the only place that fits.

    `None` when what was written there is not there any more, or could be in several places.
    """
    for above, below in _CONTEXTS:
        before, after = hunk.before[len(hunk.before) - above :] if above else (), hunk.after[:below]
        if not (before or after) and (hunk.before or hunk.after):
            continue
        pattern = [*before, *hunk.new, *after]
        places = [at + len(before) for at in _places(pattern, lines)]
        if line in places:
            return line
        if places:
            return places[0] if len(places) == 1 else None
    return None


def stood(hunk: Hunk, lines: Sequence[str], place: int) -> Hunk:
    """The change with the lines that are around it now, at this place."""
    behind = place + len(hunk.new)
    around = tuple(lines[max(0, place - AROUND) : place]), tuple(lines[behind : behind + AROUND])
    return hunk._replace(before=around[0], after=around[1], line=place)


def is_made(hunk: Hunk, lines: Sequence[str]) -> bool | None:
    """Whether the lines have the change between all the lines that were around it, or what it replaced.

    `None` when that cannot be said: the user went on there, or both could be meant.
    """
    made, undone = (
        bool(list(_places([*hunk.before, *text, *hunk.after], lines))) for text in (hunk.new, hunk.old)
    )
    if made and undone and len(hunk.new) != len(hunk.old):  # the shorter one is a part of the longer one
        return len(hunk.new) > len(hunk.old)
    return None if made == undone else made


def guess(hunk: Hunk, lines: Sequence[str], line: int) -> int:
    """Where a change that cannot be found most likely stood: by the lines before it, or those behind it."""
    for pattern, by in ((hunk.before, len(hunk.before)), (hunk.after, -len(hunk.new))):
        places = list(_places(list(pattern), lines))
        if pattern and len(places) == 1:
            return max(0, places[0] + by)
    return line


def _places(pattern: list[str], lines: Sequence[str]) -> Iterator[int]:
    if not pattern:
        return iter(() if lines else (0,))  # nothing is left of the text
    width = len(pattern)
    starts = (at for at, line in enumerate(lines) if line == pattern[0])
    return (at for at in starts if list(lines[at : at + width]) == pattern)


def _block(rows: Sequence[str], old_count: int, new_count: int) -> list[Row]:
    """The rows of one block, empty when they are not all there."""
    block: list[Row] = []
    for at, row in enumerate(rows):
        if row == _NO_NEWLINE and block:
            sign, line = block[-1]
            block[-1] = sign, line.removesuffix("\n")
        elif not (old_count or new_count):
            break
        elif row[:1] in {" ", "-", "+"} and at < len(rows) - 1:  # the last row has no end: it was cut
            old_count -= row[0] != "+"
            new_count -= row[0] != "-"
            block.append((row[0], row[1:] + "\n"))
        else:
            break
    return [] if old_count or new_count else block


def _changes(block: Sequence[Row], was: int, line: int) -> Iterator[Hunk]:
    at = 0
    while at < len(block):
        end = _until(block, at, equal=False)
        if end == at:
            at, was, line = at + 1, was + 1, line + 1
            continue
        old = tuple(text for sign, text in block[at:end] if sign == "-")
        new = tuple(text for sign, text in block[at:end] if sign == "+")
        after = tuple(text for _, text in block[end : _until(block, end, equal=True)])
        yield Hunk(_leading(block[:at]), old, new, after, was, line)
        at, was, line = end, was + len(old), line + len(new)


def _until(block: Sequence[Row], start: int, *, equal: bool) -> int:
    """Where the run of equal (or of changed) rows that begins at `start` ends."""
    ends = (at for at in range(start, len(block)) if (block[at][0] == " ") != equal)
    return next(ends, len(block))


def _leading(rows: Sequence[Row]) -> tuple[str, ...]:
    changed = (at for at in range(len(rows) - 1, -1, -1) if rows[at][0] != " ")
    return tuple(text for _, text in rows[next(changed, -1) + 1 :])
