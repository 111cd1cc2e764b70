"""A text that stands in a file with its line breaks in other places, as formatters put them."""

import re

from agls.regex import regex

FEWEST = 8  # characters of a text that is no accident
_SPACE = regex(r"\s+")
_LAST_COMMA = regex(r",(?=[)\]}])")


def wrapped_lines(flat: str, wanted: str) -> tuple[int, int] | None:
    """Return the first line (from 0) and the number of lines on which a text stands, but for its breaks."""
    text = _joined(wanted)
    if len(text) < FEWEST or text not in (joined := _joined(flat)):
        return None
    first = joined.index(text)
    kept = [at for at, character in enumerate(flat) if not character.isspace()]
    gone = {at for at, place in enumerate(kept) if flat[place] == "," and _closes(flat, kept, at)}
    places = [place for at, place in enumerate(kept) if at not in gone]
    begin, end = places[first], places[first + len(text) - 1]
    height = flat.count("\n", begin, end) + 1
    return None if height == wanted.strip().count("\n") + 1 else (flat.count("\n", 0, begin), height)


def _joined(text: str) -> str:
    """Return the text without white space, and without the commas that only stand at a break."""
    return _LAST_COMMA.sub("", _SPACE.sub("", text))


def _closes(flat: str, kept: list[int], at: int) -> bool:
    """Return whether a closing bracket follows."""
    return at + 1 < len(kept) and re.match(r"[)\]}]", flat[kept[at + 1]]) is not None
