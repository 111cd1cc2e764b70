"""Bytes and text: a round trip keeps the encoding, the byte order mark and every line end."""

import codecs
import hashlib

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen

_LOOKED_AT = 8192  # bytes that decide whether something without valid UTF-8 is text at all
_TEXT_CONTROLS = frozenset(b"\t\n\f\r\x1b")


class Binary(Exception):
    """These bytes are no text."""


@frozen
class Encoding:
    """How a file's text is written as bytes. `guessed` when nothing in the bytes proves it."""

    name: str
    mark: bytes = b""
    guessed: bool = False


UTF8 = Encoding("utf-8")
LATIN1 = Encoding("latin-1", guessed=True)
_MARKED = (
    Encoding("utf-8", codecs.BOM_UTF8),
    Encoding("utf-16-le", codecs.BOM_UTF16_LE),
    Encoding("utf-16-be", codecs.BOM_UTF16_BE),
)


def decode(data: bytes) -> tuple[str, Encoding]:
    """The text of these bytes without its mark, line ends as they are. Raises `Binary`.

    UTF-8, UTF-8 and UTF-16 with a mark, and Latin-1 for what is neither but still looks like text.
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


def encode(text: str, encoding: Encoding) -> bytes:
    """The bytes of this text. Raises `WorkspaceError` for a character the encoding does not have."""
    try:
        return encoding.mark + text.encode(encoding.name)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise WorkspaceError(
            f"The character {text[error.start]!r} in line {line} cannot be written in this file's encoding "
            f"({encoding.name}). Leave it out, or convert the file first."
        ) from error


def hash_of(content: str | bytes) -> str:
    """The SHA-256 in hex; of a text, that of its UTF-8."""
    data = content.encode("utf-8", "surrogatepass") if isinstance(content, str) else content
    return hashlib.sha256(data).hexdigest()


def with_plain_ends(text: str) -> str:
    """The text with `\\n` line ends and without a mark, to compare what an editor and a disk hold."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _looks_like_text(data: bytes) -> bool:
    head = data[:_LOOKED_AT]
    controls = sum(byte < 32 and byte not in _TEXT_CONTROLS for byte in head)
    return controls * 20 <= len(head)
