"""Bytes as text: which encoding a file has, and whether it is text at all.

This module is used in isolated programs: it imports nothing but the standard library.
"""

import codecs
from typing import NamedTuple

_LOOKED_AT = 8192  # bytes that decide whether something without valid UTF-8 is text at all
_TEXT_CONTROLS = frozenset(b"\t\n\f\r\x1b")


class Binary(Exception):
    """These bytes are no text."""


class Encoding(NamedTuple):
    """How a file's text is written as bytes. `guessed` when nothing in the bytes proves it."""

    name: str
    mark: bytes = b""
    guessed: bool = False


UTF8 = Encoding("utf-8")
LATIN1 = Encoding("latin-1", guessed=True)
UTF16 = (Encoding("utf-16-le", codecs.BOM_UTF16_LE), Encoding("utf-16-be", codecs.BOM_UTF16_BE))
_MARKED = (Encoding("utf-8", codecs.BOM_UTF8), *UTF16)


def decode(data: bytes) -> tuple[str, Encoding]:
    """Return the text of these bytes without its mark, line ends as they are, and the encoding.

    UTF-8, UTF-8 and UTF-16 with a mark, and Latin-1 for everything else that looks like text.

    **Raises** `Binary`.
    """
    encoding = next((e for e in _MARKED if data.startswith(e.mark)), UTF8)
    try:
        text = data[len(encoding.mark) :].decode(encoding.name)
    except UnicodeDecodeError:
        if encoding.name != "utf-8" or not _looks_like_text(data):
            raise Binary from None
        text, encoding = data.decode("latin-1"), LATIN1
    if "\0" in text:
        raise Binary
    return text, encoding


def _looks_like_text(data: bytes) -> bool:
    head = data[:_LOOKED_AT]
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return controls * 20 <= len(head)
