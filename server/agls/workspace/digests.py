"""What is in a file, as a digest: enough to know whether it changed. Nothing is opened but regular files."""

import os
from contextlib import suppress
from hashlib import sha256
from stat import S_ISREG

from agls.frozen import frozen

CHUNK = 1_000_000  # bytes that are read at once
MOST_TEXT = 64_000  # bytes of a text that is kept to show what changed


@frozen
class FileDigest:
    """A file: its digest ("" when it is not there), and its `text` when it is short and no program."""

    digest: str = ""
    text: str = ""


ABSENT = FileDigest()


def file_digest(path: str) -> FileDigest:
    """Return the digest of a file at an absolute path. Call it off the event loop."""
    with suppress(OSError):
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        with os.fdopen(handle, "rb") as stream:
            status = os.fstat(handle)
            if not S_ISREG(status.st_mode):
                return ABSENT
            first = stream.read(MOST_TEXT + 1)
            whole, chunk = sha256(first), first
            while chunk:
                whole.update(chunk := stream.read(CHUNK))
            return FileDigest(whole.hexdigest(), _text(first))
    return ABSENT


def _text(data: bytes) -> str:
    if len(data) > MOST_TEXT or b"\0" in data:
        return ""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return ""
