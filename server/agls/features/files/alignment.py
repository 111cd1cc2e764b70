"""Two lists of lines laid side by side: which lines of the one belong to which of the other, in order."""

from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from functools import partial

from agls.regex import regex

COMPARED = 2_000  # characters of a line that are compared
NEAR = 0.5  # how much two lines must have in common to belong together
FEW = 6_000  # pairs of lines that are compared by their characters; more are compared by their words
SKIPPED = 0.2  # what a line between two others costs, in characters
_WORD = regex(r"\w+")
Pair = tuple[int, int]
_NONE = 0  # the steps of a row
_SKIP = 1
_PAIR = 2


def closeness(one: str, other: str) -> float:
    """Return how much two texts have in common, from 0 to 1."""
    if one == other:
        return 1.0
    matcher = SequenceMatcher(None, one[:COMPARED], other[:COMPARED], autojunk=False)
    return matcher.ratio() if matcher.real_quick_ratio() >= NEAR <= matcher.quick_ratio() else 0.0


def words(line: str) -> set[str]:
    """Return the words of a line, and the line itself."""
    return {line, *_WORD.findall(line)} - {""}


def align(wanted: Sequence[str], lines: Sequence[str]) -> list[Pair]:
    """Return the pairs of a line of `lines` and one of `wanted` (their indices) that belong together.

    Of all ways to pair them in order it is one in which the most characters belong together.
    """
    likeness = _by_characters if len(wanted) * len(lines) <= FEW else partial(_by_words, {})
    best = [0.0] * (len(lines) + 1)  # of the lines of `wanted` so far and the first `lines`
    taken: list[bytearray] = []
    for line in wanted:
        best, row = _row(line, lines, best, likeness)
        taken.append(row)
    pairs: list[Pair] = []
    at = max(range(len(best)), key=lambda j: best[j])
    for i in range(len(wanted) - 1, -1, -1):
        while at and taken[i][at] == _SKIP:
            at -= 1
        if at and taken[i][at] == _PAIR:
            at -= 1
            pairs.append((at, i))
    return pairs[::-1]


def _row(
    line: str, lines: Sequence[str], above: Sequence[float], likeness: Callable[[str, str], float]
) -> tuple[list[float], bytearray]:
    """Return the best sums with one line more of `wanted`, and by which step each was reached."""
    sums, steps = [above[0]], bytearray(len(above))
    for at, other in enumerate(lines, 1):
        common = likeness(line, other)
        paired = above[at - 1] + common * (len(line) + 1) if common >= NEAR else -1.0
        skipped = sums[at - 1] - SKIPPED if sums[at - 1] else 0.0
        score = max(paired, above[at], skipped)
        sums.append(score)
        steps[at] = _PAIR if score == paired else _NONE if score == above[at] else _SKIP
    return sums, steps


def _by_characters(line: str, other: str) -> float:
    return closeness(line, other)


def _by_words(known: dict[str, set[str]], line: str, other: str) -> float:
    if line == other:
        return 1.0
    one, two = (_known_words(known, each) for each in (line, other))
    return 2 * len(one & two) / ((len(one) + len(two)) or 1)


def _known_words(known: dict[str, set[str]], line: str) -> set[str]:
    if line not in known:
        known[line] = set(_WORD.findall(line))
    return known[line]
