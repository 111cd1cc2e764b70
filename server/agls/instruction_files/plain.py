"""Text from files the user may never have looked at, with nothing left in it that cannot be seen."""

import unicodedata

HIDDEN = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp"})
KEPT = frozenset("\n\t\u200c\u200d")  # joiners: scripts and emoji need them


def plain(text: str) -> str:
    """The text with hidden characters spelled out (`\\u{202e}`) and every line end as `\\n`."""
    text = text.replace("\r\n", "\n")
    if text.replace("\n", "").replace("\t", "").isprintable():  # nearly every text, at once
        return text
    return "".join(map(_spelled, text))


def _spelled(character: str) -> str:
    if character in KEPT or unicodedata.category(character) not in HIDDEN:
        return character
    return f"\\u{{{ord(character):x}}}"
