"""Texts as a human must see them before saying yes: nothing in them invisible, nothing that reorders them."""

import re
import unicodedata
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.regex import regex

# Characters that show nothing although their category says otherwise (Unicode, Default_Ignorable_Code_Point).
# The ranges stay ranges: a set of their 4,000 characters takes half a megabyte.
BLANK_CODES = frozenset({0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2065, 0x2800, 0x3164, 0xFFA0})
BLANK_RANGES = (
    range(0x180B, 0x1810),
    range(0xFE00, 0xFE10),
    range(0xFFF0, 0xFFF9),
    range(0xE0000, 0xE1000),
)
_UNUSUAL = regex(r"[^\n\t -~]")  # only these are looked at one by one: patches are long
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"})
SELECTORS = frozenset("\ufe0e\ufe0f")  # say how the symbol before them is drawn
SYMBOLS = frozenset({"So", "Sm", "Sk", "Po"})
MARKS = frozenset({"Mn", "Me"})
MOST_MARKS = 3  # on one letter; more of them cover what is around it, or are not drawn at all
_LIKE_OURS = regex(r"⟨(U\+|\d)")  # what reads as if it was spelled out here, or a count


def hidden_in(text: str) -> str:
    """The code points of the characters a reader could overlook, or be deceived by: `U+202E, U+200B`."""
    hidden = (found[0] for found in _UNUSUAL.finditer(text) if _is_hidden(found))
    return ", ".join(dict.fromkeys(f"U+{ord(character):04X}" for character in hidden))


def visible(text: str) -> str:
    """The text with every hidden character spelled out, `⟨U+202E⟩`. The CR of a CRLF is left alone."""
    return _UNUSUAL.sub(_spelled, text)


def one_line(text: str) -> str:
    """The same on one line."""
    return visible(text).replace("\r", "\\r").replace("\n", "\\n").replace("\t", "\\t")


def visible_object(subject: JsonObject) -> JsonObject:
    """A JSON object with all its texts, and its keys, made visible."""
    return {visible(key): _visible_value(value) for key, value in subject.items()}


def _visible_value(value: Any) -> Any:
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return visible_object(cast("JsonObject", value))
    if isinstance(value, list | tuple):
        return [_visible_value(item) for item in cast("list[Any]", value)]
    return value


def _spelled(found: re.Match[str]) -> str:
    character = found[0]
    like_ours = character == "⟨" and _LIKE_OURS.match(found.string, found.start())
    if not (like_ours or _is_hidden(found)) or found.string.startswith("\r\n", found.start()):
        return character
    return f"⟨U+{ord(character):04X}⟩"


def _is_hidden(found: re.Match[str]) -> bool:
    character, before = found[0], found.string[max(0, found.start() - 1) : found.start()]
    if character in SELECTORS and before > "\x7f" and not is_blank(before):
        return unicodedata.category(before) not in SYMBOLS
    category = unicodedata.category(character)
    return is_blank(character) or category in HIDDEN_CATEGORIES or (category in MARKS and _is_stacked(found))


def is_blank(character: str) -> bool:
    """Return whether the character shows nothing although its category says otherwise."""
    code = ord(character)
    return code in BLANK_CODES or any(code in blank for blank in BLANK_RANGES)


def _is_stacked(found: re.Match[str]) -> bool:
    below = found.string[max(0, found.start() - MOST_MARKS) : found.start()]
    return len(below) == MOST_MARKS and all(unicodedata.category(mark) in MARKS for mark in below)
