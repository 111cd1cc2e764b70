"""The lines of a text that is searched: those that match, and those around them.

This module is used in isolated programs: it imports the standard library only.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, chain
from re import Pattern

Row = tuple[int, bool, str]  # a line: its number from 0, whether it matches, and its text


def lines_of(text: str) -> list[str]:
    """Return the lines without their ends (CR LF, LF, CR, as in LSP 3.17); a final end begins no line."""
    lines = plain_ends(text).split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def plain_ends(text: str) -> str:
    """Return the text with LF at the end of each line."""
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def spanned(pattern: Pattern[str], text: str, lines: Sequence[str]) -> Iterator[int]:
    """Yield the numbers of the lines that matches touch, each once; an empty match touches one, too."""
    ends = list(accumulate(len(line) + 1 for line in lines))
    begin = 0
    for match in pattern.finditer(text):
        first = bisect_right(ends, match.start())
        last = bisect_right(ends, max(match.start(), match.end() - 1))
        end = min(last + 1, len(lines))
        yield from range(max(first, begin), end)
        begin = max(begin, end)


def excerpt(lines: Sequence[str], numbers: Sequence[int], context: int, cut: Callable[..., str]) -> list[Row]:
    """Return the lines with these numbers (from 0) and `context` lines around, each `cut`."""
    matching = set(numbers)
    around = (range(max(0, at - context), min(len(lines), at + context + 1)) for at in numbers)
    shown = sorted(set(chain(*around)))
    return [(at, at in matching, cut(lines[at], matches=at in matching)) for at in shown]
