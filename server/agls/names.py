"""Spellings of names: those of files as one line of text and back, those of members as on the wire."""

import re
from functools import cache

from agls.regex import regex

_HARMFUL = regex("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\udc80-\udcff]")
_SPELLED = regex(r"\\(?:([nrt])|x([0-9a-f]{2})|u([0-9a-f]{4}))")
_SHORT = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
_LONG = {"n": "\n", "r": "\r", "t": "\t"}


@cache
def camel(name: str) -> str:
    """Return `max_turns` as `maxTurns`."""
    first, *rest = name.split("_")
    return first + "".join(part.capitalize() for part in rest)


def spelled(name: str) -> str:
    """Return the name with controls, changes of direction and bytes that are no UTF-8 written as escapes."""
    return _HARMFUL.sub(lambda found: _escape(found[0]), name)


def meant(text: str) -> str:
    """Return the name for a spelling. A name may also be just as it is written: look for that first."""
    return _SPELLED.sub(_character, text)


def _escape(character: str) -> str:
    if character in _SHORT:
        return _SHORT[character]
    code = ord(character)
    if "\udc80" <= character <= "\udcff":  # how Python holds a byte that is no text
        return f"\\x{code - 0xDC00:02x}"
    return f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}"


def _character(found: re.Match[str]) -> str:
    short, byte, code = found.groups()
    if short:
        return _LONG[short]
    number = int(byte or code, 16)
    return chr(0xDC00 + number if byte and number >= 0x80 else number)
