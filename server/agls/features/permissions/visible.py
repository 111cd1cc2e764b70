"""Texts as a human must see them before saying yes: nothing in them invisible, nothing that reorders them."""

import re
import unicodedata
from typing import Any, cast

from agls.engine.vocabulary import JsonObject

# Characters that show nothing although their category says otherwise (Unicode, Default_Ignorable_Code_Point).
BLANK = frozenset(
    chr(code)
    for code in (
        0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0,
        *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0000, 0xE1000),
    )
)  # fmt: skip
_UNUSUAL = re.compile(r"[^\n\t -~]")  # only these are looked at one by one: patches are long
HIDDEN_CATEGORIES = frozenset({"Cc", "Cf", "Co", "Cs", "Zl", "Zp", "Zs"})
SELECTORS = frozenset("\ufe0e\ufe0f")  # say how the symbol before them is drawn
SYMBOLS = frozenset({"So", "Sm", "Sk", "Po"})


def hidden_in(text: str) -> str:
    """The code points of the characters a reader could overlook, or be deceived by: `U+202E, U+200B`."""
    hidden = (found[0] for found in _UNUSUAL.finditer(text) if _is_hidden(found))
    return ", ".join(dict.fromkeys(f"U+{ord(character):04X}" for character in hidden))


def visible(text: str) -> str:
    """The text with every hidden character spelled out, `\\u{202e}`. The CR of a CRLF is left alone."""
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
    if not _is_hidden(found) or found.string.startswith("\r\n", found.start()):
        return character
    return f"\\u{{{ord(character):x}}}"


def _is_hidden(found: re.Match[str]) -> bool:
    character, before = found[0], found.string[max(0, found.start() - 1) : found.start()]
    if character in SELECTORS and before > "\x7f" and before not in BLANK:
        return unicodedata.category(before) not in SYMBOLS
    return character in BLANK or unicodedata.category(character) in HIDDEN_CATEGORIES
