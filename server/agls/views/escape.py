"""Escaping of text from elsewhere, so that it has no power over a terminal."""

from agls.regex import regex

# Joiners and the selectors of emoji stay: letters and pictures are made with them.
_CONTROLS = regex(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    r"\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\U000e0000-\U000e0fff]"
)


def escape_controls(text: str) -> str:
    """Return the text with control characters, changes of direction and what cannot be seen as escapes."""
    return _CONTROLS.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), text)


def escape_name(text: str) -> str:
    """Return the name of a file or folder as one line, which ends nowhere but at its end."""
    return escape_controls(text).replace("\n", "\\n").replace("\t", "\\t")
