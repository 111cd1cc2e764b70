"""Text cut into rows of a terminal, by the columns that its characters take."""

from collections.abc import Iterable, Iterator
from unicodedata import east_asian_width

BETWEEN = "  ·  "
COMMAND = ": agls "  # in front of the words of a command
STEP = 4096  # characters; of a longer line only the end is cut into rows


def fitting(text: str, columns: int) -> int:
    """Return how many characters of a line fit, at least one.

    A sign that joins the one before it counts as a column, too: a row may be shorter, never longer.
    """
    if text.isascii():
        return max(columns, 1)
    for at, char in enumerate(text):
        columns -= 2 if east_asian_width(char) in "WF" else 1
        if columns < 0:
            return max(at, 1)
    return len(text)


def wrapped(text: str, columns: int) -> str:
    """Return the text with lines of at most so many columns, cut between words.

    A word that is longer than a row stays whole, and so does a command at the end of a line ("Go on with:
    agls resume …"): it can be copied.
    """
    return "\n".join(row for line in text.split("\n") for row in _cut_between_words(line, columns))


def _cut_between_words(line: str, columns: int) -> Iterator[str]:
    before, is_command, words = line.partition(COMMAND)
    text = before.lstrip(" ")
    indent = before[: len(before) - len(text)]
    first, *more = f"{text}:".split(" ") if is_command else text.split(" ")
    row = indent + first
    for word in [*more, f"agls {words}"] if is_command else more:
        longer = f"{row} {word}"
        if word and fitting(longer, columns) < len(longer):
            yield row
            longer = indent + word
        row = longer
    yield row


def in_row(parts: Iterable[str], columns: int) -> str:
    """Return as many of the parts, from the first on, as fit beside each other whole."""
    row = ""
    for part in filter(None, parts):
        longer = f"{row}{BETWEEN}{part}" if row else part
        if row and fitting(longer, columns) < len(longer):
            break
        row = longer
    return row


def last_rows(text: str, columns: int, most: int) -> list[str]:
    """Return the last rows of a text without its empty lines. More text at its end changes few of them."""
    lines = [line for line in text.split("\n") if line.strip()][-most:]
    return [row for line in lines for row in _rows(line.expandtabs(4), columns)][-most:]


def _rows(line: str, columns: int) -> Iterator[str]:
    """Cut a line between words where it can."""
    line = line[max(0, len(line) // STEP - 1) * STEP :]
    while line:
        end = fitting(line, columns)
        if end < len(line) and line[: (space := line.rfind(" ", 0, end + 1)) + 1].strip():
            end = space
        yield line[:end].rstrip()
        line = line[end:].lstrip(" ")
