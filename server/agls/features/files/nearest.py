"""The place in a file that is most like a text that was not found, and how the two differ.

Words and lines vote for a place. A vote counts the less the more often the file has the word, so that a rare
line outvotes common ones. Then the two are compared line by line, and the lines that differ are shown.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from difflib import get_close_matches
from itertools import pairwise

from agls.frozen import frozen
from agls.short_text import cut_around

from .alignment import COMPARED, Pair, align, closeness, words
from .lines import numbered, split_lines
from .long_lines import excerpt

COMMON = 50  # a word that occurs in more lines says nothing about the place
LINES = 20_000  # lines of a file that are compared one by one, when no word votes
TRIED = 3  # places
SHORT = 50  # lines of a text of which more than one place is tried
ALIGNED = 600  # lines that are laid side by side
AROUND = 3  # lines by which a place may be longer than the text it is compared with, at each end
LIKE = 0.2  # of a text's characters; what has less of them is nothing like it
SHORTEST = 3  # characters of a line that is looked for without regard to capital letters
FEW = 10  # lines of a file that is shown whole when nothing in it is like the text
SMALL = 6  # lines of a place that is shown whole
SHOWN = 40  # lines that are shown
WIDTH = 1_000  # characters that are shown of a line
MOST = 6_000  # characters that are shown


@frozen
class Likeness:
    """The lines of a file (from `start`, before `stop`) that are most like a text.

    `differing` are those of them that are different or missing in the text. `closeness` is the share of the
    text that stands there, from 0 to 1. `pairs` maps lines of the file to lines of the text.
    """

    start: int
    stop: int
    differing: tuple[int, ...]
    closeness: float
    pairs: Mapping[int, int] = field(default_factory=dict[int, int])


def nearest(text: str, wanted: str, place: Likeness | None, advice: str) -> list[str]:
    """Return the report to the model: the numbered lines where `wanted` probably should have been."""
    if place is None:
        lines = split_lines(text)
        if not lines:
            return ["The file is empty. write_file fills it."]
        if len(lines) <= FEW and len(text) <= WIDTH:
            return ["Nothing in the file is like it. The whole file is:", *numbered(lines, 1, WIDTH)]
        if part := excerpt(lines, wanted):
            return [*part, advice]
        return ["Nothing in the file is like it. Read the file again."]
    return [*shown(text, wanted, place), advice]


def shown(text: str, wanted: str, place: Likeness) -> list[str]:
    """Return the lines of a place that differ, with a line around them; all of a short one."""
    lines, asked = split_lines(text), split_lines(wanted)
    height = place.stop - place.start
    rows = range(place.start, place.stop) if height <= SMALL or not place.differing else _with_context(place)
    where = f" {place.start + 1} to {place.stop}, which differ here" if len(rows) < height else ""
    listing = [f"The nearest lines are{where}:"]
    size = 0
    last = place.start - 1
    for count, row in enumerate(rows):
        line = cut_around(lines[row], asked[place.pairs[row]] if row in place.pairs else "", WIDTH)
        size += len(line)
        if count == SHOWN or (count and size > MOST):
            return [*listing, "[There are more differences. Read the file again.]"]
        listing += ["…"] * (row > last + 1)
        listing.append(f"{row + 1}\t{line}")
        last = row
    return listing


def find_place(text: str, wanted: str) -> Likeness | None:
    """Return the lines most like `wanted`, `None` when nothing is like it."""
    lines = [line[:COMPARED].strip() for line in split_lines(text)]
    asked = [line[:COMPARED].strip() for line in split_lines(wanted)][:ALIGNED]
    starts = _starts(lines, asked)
    places = (_aligned(lines, asked, start) for start in starts[: TRIED if len(asked) <= SHORT else 1])
    best = max(places, key=lambda place: place.closeness, default=None)
    return best if best and best.closeness >= LIKE else _folded_place(lines, asked)


def _folded_place(lines: Sequence[str], asked: Sequence[str]) -> Likeness | None:
    """Return where the longest line of a text stands, but for capital letters and HTML entities."""
    longest = max(asked, key=len, default="")
    wanted = _folded(longest)
    if len(wanted) < SHORTEST:
        return None
    at = next((row for row, line in enumerate(lines[:LINES]) if wanted in _folded(line)), None)
    if at is None:
        return None
    start = max(0, at - asked.index(longest))
    stop = min(len(lines), start + len(asked))
    return whole(start, stop)


def whole(start: int, stop: int) -> Likeness:
    """Return a place of which every line is to be shown."""
    return Likeness(start, stop, tuple(range(start, stop)), LIKE)


def _folded(line: str) -> str:
    if "&" in line:
        from html import unescape  # noqa: PLC0415 - its table of names is large, and few texts need it

        line = unescape(line)
    return line.casefold()


def _with_context(place: Likeness) -> list[int]:
    near = {row + by for row in place.differing for by in (-2, -1, 0, 1, 2)}
    return sorted(row for row in near if place.start <= row < place.stop)


# --- where ----------------------------------------------------------------------------------------


def _starts(lines: Sequence[str], wanted: Sequence[str]) -> list[int]:
    """Return the lines at which the text most likely begins, the likeliest first."""
    votes = _votes(lines, wanted)
    if votes:
        sums = {
            start: sum(votes.get(start + by, 0.0) for by in (-2, -1, 0, 1, 2)) + votes[start]
            for start in votes
        }
        return sorted(sums, key=lambda start: (-sums[start], start))
    longest = max(wanted, key=len, default="")
    likely = get_close_matches(longest, dict.fromkeys(lines[:LINES]), n=1) if longest else []
    return [lines.index(likely[0]) - wanted.index(longest)] if likely else []


def _votes(lines: Sequence[str], wanted: Sequence[str]) -> Mapping[int, float]:
    asked: dict[str, list[int]] = {}
    for offset, line in enumerate(wanted):
        for token in words(line):
            asked.setdefault(token, []).append(offset)
    found: dict[str, list[int]] = {token: [] for token in asked}
    for index, line in enumerate(lines):
        for token in words(line):
            if token in found:
                found[token].append(index)
    votes = defaultdict[int, float](float)
    for token, places in found.items():
        if len(places) <= COMMON:
            for start in {at - offset for at in places for offset in asked[token][:COMMON]}:
                votes[start] += 1 / (len(places) * len(asked[token]))
    return votes


# --- side by side ---------------------------------------------------------------------------------


def _aligned(lines: Sequence[str], wanted: Sequence[str], start: int) -> Likeness:
    """Lay the text beside the lines from about `start` on."""
    first = max(0, start - AROUND)
    pairs = align(wanted, lines[first : max(first + 1, start + 2 * len(wanted) + AROUND)])
    pairs = [(first + row, asked) for row, asked in pairs]
    if not pairs:
        return Likeness(first, first + 1, (), 0.0)
    begin, end = pairs[0][0], pairs[-1][0] + 1
    begin -= min(pairs[0][1], begin, AROUND)  # lines of the text before the first and behind the last pair
    end = min(len(lines), end + min(len(wanted) - 1 - pairs[-1][1], len(wanted) // 2 + 1))
    alike = {row for row, asked in pairs if lines[row] == wanted[asked]}
    differing = {row for row in range(begin, end) if row not in alike} | set(_gaps(pairs))
    held = sum(len(wanted[asked]) * closeness(lines[row], wanted[asked]) for row, asked in pairs)
    size = sum(map(len, wanted)) or 1
    return Likeness(begin, end, tuple(sorted(differing)), held / size, dict(pairs))


def _gaps(pairs: Sequence[Pair]) -> Iterator[int]:
    """Yield the lines between which the text has others, which the file has not."""
    for (row, asked), (next_row, next_asked) in pairwise(pairs):
        if next_row == row + 1 and next_asked > asked + 1:
            yield from (row, next_row)
