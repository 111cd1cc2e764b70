"""The names by which agents are called. Pure."""

import unicodedata

from agls.regex import regex

NAME = regex(r"[A-Za-z0-9_-]{1,50}")
_NOT_IN_NAMES = regex(r"[^A-Za-z0-9_]+")


def name_of(text: str) -> str:
    """Return the name that calls an agent which people name so, "" where it has no letters for one.

    `UI Designer` is `ui-designer`; one that can be written stays as it is.
    """
    if ":" in text or NAME.fullmatch(text):
        return text if ":" not in text else ""
    folded = unicodedata.normalize("NFKD", text).lower()
    plain_letters = "".join(each for each in folded if not unicodedata.combining(each))
    return _NOT_IN_NAMES.sub("-", plain_letters).strip("-")[:50].strip("-")
