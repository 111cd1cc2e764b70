"""Bytes and text: a round trip keeps the encoding, the byte order mark and every line end."""

import hashlib

from agls.engine.ports import WorkspaceError
from agls.workspace.decoding import Encoding

PIECE = 1 << 20  # characters that are hashed at once


def encode(text: str, encoding: Encoding) -> bytes:
    """Return the bytes of this text.

    **Raises** `WorkspaceError` for a character the encoding does not have.
    """
    try:
        return encoding.mark + text.encode(encoding.name)
    except UnicodeEncodeError as error:
        line = text.count("\n", 0, error.start) + 1
        raise WorkspaceError(
            f"The character {text[error.start]!r} in line {line} cannot be written in this file's encoding "
            f"({encoding.name}). Leave it out, or convert the file first."
        ) from error


def hash_of(content: str | bytes) -> str:
    """Return the SHA-256 in hex; of a text, that of its UTF-8."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    made = hashlib.sha256()
    for start in range(0, len(content), PIECE):  # a large text is not copied as a whole
        made.update(content[start : start + PIECE].encode("utf-8", "surrogatepass"))
    return made.hexdigest()


def with_plain_ends(text: str) -> str:
    """Return the text with `\n` line ends and without a mark, to compare what an editor and a disk hold."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
