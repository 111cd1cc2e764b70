"""Titles of sessions: one line without characters that could mislead its reader."""

from agls.regex import regex

LONGEST = 200  # characters
_UNPRINTED = regex(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")


def one_line(words: str) -> str:
    """Return the words without line breaks, control characters and changes of direction."""
    return " ".join(_UNPRINTED.sub(" ", words).split())


def shown_title(words: str) -> str:
    """Return as much of the words as a title may be, on one line; "" when nothing is left."""
    return one_line(words)[:LONGEST].rstrip()


def title_from(words: str) -> str:
    """Return a title on one line. **Raises** `ValueError` when nothing is left."""
    title = shown_title(words)
    if not title:
        raise ValueError("The title is empty.")
    return title
