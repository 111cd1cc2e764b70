"""The bytes of files that are searched: read, and what can be told of them before they are decoded.

This module is used in isolated programs: it imports the standard library, and modules that import no more.
"""

import os
from collections.abc import Iterable

from agls.workspace.decoding import UTF16
from agls.workspace.handles import opened

SMALL = 1 << 16  # bytes that are read at once
READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def may_hold(needed: Iterable[bytes], data: bytes) -> bool:
    """Return whether a match, which has one of the texts in it, may be in these bytes."""
    if not needed or is_utf16(data):
        return True
    small = data.lower()
    return any(text in small for text in needed)


def looks_binary(data: bytes) -> bool:
    """Return whether bytes look like something else than text."""
    return not is_utf16(data) and b"\0" in data[:SMALL]


def is_utf16(data: bytes) -> bool:
    """Return whether they have the mark of UTF-16."""
    return data.startswith(tuple(encoding.mark for encoding in UTF16))


def bytes_of(folder: int, name: str, max_bytes: int) -> bytes:
    """Return the first bytes of a file, one more than `max_bytes`. Only regular files are read."""
    with opened(os.open(name, READ, dir_fd=folder)) as handle:
        data = os.read(handle, min(SMALL, max_bytes + 1))
        if len(data) == SMALL < max_bytes + 1:
            data += os.read(handle, max_bytes + 1 - SMALL)
    return data
