"""Between LSP positions and offsets into a text, in the negotiated encoding (LSP 3.17, Position).

Only LF, CR LF and CR end a line; Python's `splitlines` knows eight more ends, which editors do not.
"""

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple

LINE_END = re.compile(r"\r\n|\n|\r")

UNITS: Mapping[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
    "utf-32": len,
}


class Place(NamedTuple):
    """A zero-based line, and a character in units of the encoding."""

    line: int
    character: int


class Edit(NamedTuple):
    """Replace what is between two places by a text."""

    start: Place
    end: Place
    text: str


def units(text: str, encoding: str) -> int:
    """The length of a text in units of the encoding."""
    return len(text) if text.isascii() else UNITS[encoding](text)


def offset_at(text: str, place: Place, encoding: str) -> int:
    """Where a position is in the text. Beyond the line's end is its end, beyond the last line the text's."""
    start = 0
    for _ in range(place.line):
        end = LINE_END.search(text, start)
        if end is None:
            return len(text)
        start = end.end()
    stop = LINE_END.search(text, start)
    line = text[start : stop.start() if stop else len(text)]
    return start + _index(line, place.character, encoding)


def _index(line: str, character: int, encoding: str) -> int:
    if line.isascii() or encoding == "utf-32":
        return min(character, len(line))
    passed = 0
    for index, letter in enumerate(line):
        if passed >= character:
            return index
        passed += units(letter, encoding)
    return len(line)


def place_at(text: str, offset: int, encoding: str) -> Place:
    """The position of an offset."""
    line, start = 0, 0
    for end in LINE_END.finditer(text, 0, offset):
        line, start = line + 1, end.end()
    return Place(line, units(text[start:offset], encoding))


def smallest_edit(before: str, after: str, encoding: str) -> Edit:
    """One edit that turns `before` into `after` and touches as little as possible; it never parts a CR LF."""
    start, end = changed_span(before, after)
    text = after[start : len(after) - len(before) + end]
    return Edit(place_at(before, start, encoding), place_at(before, end, encoding), text)


def changed_span(before: str, after: str) -> tuple[int, int]:
    """From where to where `before` must be replaced to become `after`."""
    limit = min(len(before), len(after))
    start = _common(before, after, limit)
    while start and _inside_line_end(before, start) | _inside_line_end(after, start):
        start -= 1
    tail = _common(before[::-1], after[::-1], limit - start)
    while tail and _inside_line_end(before, len(before) - tail) | _inside_line_end(after, len(after) - tail):
        tail -= 1
    return start, len(before) - tail


def _common(first: str, second: str, limit: int) -> int:
    """How many leading characters are the same, at most `limit`."""
    low, high = 0, limit
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _inside_line_end(text: str, offset: int) -> bool:
    return text[offset - 1 : offset + 1] == "\r\n"
