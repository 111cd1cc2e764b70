"""Between LSP positions and offsets into a text, in the negotiated encoding (LSP 3.17, Position).

Only LF, CR LF and CR end a line; Python's `splitlines` knows eight more ends, which editors do not.
"""

from itertools import islice
from typing import NamedTuple

from agls.code_units import index_in, units
from agls.doors.from_wire import Malformed
from agls.doors.messages import JsonObject
from agls.regex import regex

LINE_END = regex(r"\r\n|\n|\r")


class TextPosition(NamedTuple):
    """A zero-based line, and a character in units of the encoding."""

    line: int
    character: int


class Edit(NamedTuple):
    """Replace what is between two places by a text."""

    start: TextPosition
    end: TextPosition
    text: str


def place_of(given: JsonObject) -> TextPosition:
    """Return a position that a client sent. **Raises** `Malformed`."""
    line, character = given.get("line", 0), given.get("character", 0)
    if not (isinstance(line, int) and isinstance(character, int) and line >= 0 and character >= 0):
        raise Malformed("a position has a line and a character, whole numbers from 0 on")
    return TextPosition(line, character)


def offset_at(text: str, place: TextPosition, encoding: str) -> int:
    """Where a position is in the text. Beyond the line's end is its end, beyond the last line the text's."""
    if place.line > len(text):  # it may be larger than any index
        return len(text)
    ends = LINE_END.finditer(text)
    before = next(islice(ends, place.line - 1, None), None) if place.line else None
    if place.line and before is None:
        return len(text)
    start, stop = before.end() if before else 0, next(ends, None)
    line = text[start : stop.start() if stop else len(text)]
    return start + index_in(line, place.character, encoding)


def place_at(text: str, offset: int, encoding: str) -> TextPosition:
    """The position of an offset."""
    line, start = 0, 0
    for end in LINE_END.finditer(text, 0, offset):
        line, start = line + 1, end.end()
    return TextPosition(line, units(text[start:offset], encoding))


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


def common_ends(first: str, second: str) -> tuple[int, int]:
    """How many characters are the same from the beginning on, and how many up to the end."""
    limit = min(len(first), len(second))
    return _common(first, second, limit), _common(first[::-1], second[::-1], limit)


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
