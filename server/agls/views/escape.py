"""Escaping of text from elsewhere, so that it has no power over a terminal."""

from agls.regex import regex

_CONTROLS = regex(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")


def escape_controls(text: str) -> str:
    """Return the text with control characters and changes of direction written as escapes."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)
