"""Matching lines as `grep -n` prints them: `name:12:text`, and `name-11-text` for the lines around."""

from collections.abc import Sequence

from agls.engine.ports import FileText

from .matcher import lines_of


def excerpt(file: FileText, numbers: Sequence[int], context: int, width: int) -> list[str]:
    """The lines with these numbers (from 0) and `context` lines around, cut at `width` characters."""
    lines = lines_of(file.text)
    matching = set(numbers)
    rows: list[str] = []
    last = -1
    for number in _around(numbers, context, len(lines)):
        if context and rows and number != last + 1:
            rows.append("--")
        mark, line, last = (":" if number in matching else "-"), lines[number], number
        cut = f"{line[:width]}[… {len(line) - width} more characters]" if len(line) > width else line
        rows.append(f"{file.place.shown}{mark}{number + 1}{mark}{cut}")
    return rows


def _around(numbers: Sequence[int], context: int, count: int) -> list[int]:
    wide = (range(max(0, at - context), min(count, at + context + 1)) for at in numbers)
    return sorted({number for some in wide for number in some})
