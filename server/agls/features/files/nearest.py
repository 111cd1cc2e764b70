"""Which lines of a file are most like a text that was not found in it."""

from collections import Counter
from difflib import get_close_matches

from .lines import numbered, split_lines

COMPARED = 200  # characters of a line that are compared, and shown
LINES = 20_000  # lines of a file that are compared one by one
TELLING = 50  # a line that occurs more often says nothing about the place
SHOWN = 20  # lines that are shown


def nearest(text: str, wanted: str) -> list[str]:
    """What to tell the model: the numbered lines where `wanted` probably should have been."""
    lines = [line[:COMPARED] for line in split_lines(text)]
    start = _start(lines, [line[:COMPARED].strip() for line in split_lines(wanted)])
    if start is None:
        return ["Nothing in the file is like it. Read the file again."]
    count = min(len(split_lines(wanted)), SHOWN)
    first = max(start, 0)
    window = numbered(lines[first : max(start + count, first + 1)], first + 1, COMPARED)
    return ["The nearest lines are:", *window, "Copy old_text from the file, without the line numbers."]


def _start(lines: list[str], wanted: list[str]) -> int | None:
    """The index where most of the wanted lines fall into place, or where the longest has a likeness."""
    places: dict[str, list[int]] = {}
    for index, line in enumerate(lines):
        places.setdefault(line.strip(), []).append(index)
    telling = {line: found for line, found in places.items() if line and len(found) <= TELLING}
    votes = Counter(at - offset for offset, line in enumerate(wanted) for at in telling.get(line, ()))
    if votes:
        return min(votes, key=lambda start: (-votes[start], start))
    longest = max(wanted, key=len, default="")
    likely = get_close_matches(longest, list(places)[:LINES], n=1)
    return places[likely[0]][0] - wanted.index(longest) if likely and longest else None
