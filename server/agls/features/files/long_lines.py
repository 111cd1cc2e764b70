"""The part of a very long line that is most like a text that was not found, as in minified code."""

import re
from collections.abc import Iterator, Sequence
from itertools import islice

from agls.regex import regex

from .alignment import COMPARED, closeness

TOKENS = 6  # of a text, the longest
PLACES = 20  # in which one of them is looked at
PIECES = 200  # words and signs of a text that is looked for with other white space
AROUND = 80  # characters that are shown beside it
_TOKEN = regex(r"\w{2,}")
_PIECE = regex(r"\w+|[^\w\s]")


def excerpt(lines: Sequence[str], wanted: str) -> list[str]:
    """Return where in the long lines something is like `wanted`, for the model; nothing for nowhere."""
    text = max(wanted.split("\n"), key=len).strip()[:COMPARED]
    best, place = 0.0, (0, 0)
    for row, line in enumerate(lines):
        for at in _places(line, text) if len(line) > COMPARED else ():
            likeness = closeness(text, line[at : at + len(text)])
            if likeness > best:
                best, place = likeness, (row, at)
    if not best:
        return []
    row, at = place
    begin, end = max(0, at - AROUND), at + len(text) + AROUND
    shown = f"{'… ' * bool(begin)}{lines[row][begin:end]}{' …' * (end < len(lines[row]))}"
    return [f"The nearest text is in line {row + 1}, from character {at + 1} on:", shown]


def _places(line: str, text: str) -> Iterator[int]:
    """Yield where in a line a text may begin: by all its words and signs, then by its longest words."""
    pieces = [re.escape(piece) for piece in islice(_PIECE.findall(text), PIECES)]
    if pieces:
        yield from (found.start() for found in islice(re.finditer(r"\s*".join(pieces), line), PLACES))
    words = sorted(_TOKEN.finditer(text), key=lambda found: found.end() - found.start(), reverse=True)
    for word in words[:TOKENS]:
        for at in islice(_occurrences(line, word[0]), PLACES):
            yield max(0, at - word.start())


def _occurrences(line: str, word: str) -> Iterator[int]:
    at = line.find(word)
    while at >= 0:
        yield at
        at = line.find(word, at + 1)
