"""Frames on a byte stream: strict, bounded, and nothing but the standard library (LSP 3.17, Base Protocol).

A frame is a header of `Name: value` lines, each ended by CR LF, an empty line, and as many bytes as
`Content-Length` says. What cannot be a header is noticed at its first wrong byte, not at its end.
"""

import os
import re
from typing import NamedTuple

HEADER_LIMIT = 8_192  # bytes of one header
BODY_LIMIT = 32 * 1024 * 1024  # bytes of one message; larger ones are read and thrown away
DRAIN_LIMIT = 1024 * 1024 * 1024  # a length beyond this is not believed
CHUNK = 65_536
ENDS = 4_096  # bytes that are kept of either end of a body that is thrown away

NAME = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+"  # a token of RFC 9110, section 5.6.2
LINE = re.compile(rb"(" + NAME + rb"):[ \t]*([^\r\n\x00]*?)[ \t]*")
BEGUN = re.compile(rb"(?:" + NAME + rb"(?::[^\r\n\x00]*)?)?\r?")


class Untrusted(Exception):
    """The stream cannot be followed any further: nobody knows where the next frame begins."""


class Oversized(NamedTuple):
    """A frame that was larger than allowed; its body was thrown away but for its `ends`."""

    length: int
    ends: bytes


class Frames:
    """Reads frames from a file descriptor, blocking. Memory stays under the body limit."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._buffer = bytearray()

    def next(self) -> bytes | Oversized | None:
        """Return the next body, or `None` at the end of the stream. **Raises** `Untrusted`."""
        header = self._header()
        if header is None:
            return None
        length = content_length(header)
        if length > BODY_LIMIT:
            ends = self._drain(length)
            return None if ends is None else Oversized(length, ends)
        while len(self._buffer) < length:
            if not self._read():
                return None
        body = bytes(memoryview(self._buffer)[:length])
        del self._buffer[:length]
        return body

    def _header(self) -> bytes | None:
        checked = 0
        while True:
            end = self._buffer.find(b"\r\n\r\n", max(0, checked - 3), HEADER_LIMIT + 4)
            if end >= 0:
                header = bytes(self._buffer[:end])
                del self._buffer[: end + 4]
                return header
            check_begun(self._buffer)
            checked = len(self._buffer)
            if not self._read():
                return None

    def _drain(self, length: int) -> bytes | None:
        """Throw a body away; gives its beginning and its end, `None` when the stream ends first."""
        head = tail = b""
        while True:
            part = bytes(self._buffer[:length])
            del self._buffer[:length]
            length -= len(part)
            head += part[: ENDS - len(head)]
            tail = (tail + part)[-ENDS:]
            if not length:
                return head + tail
            if not self._read():
                return None

    def _read(self) -> bool:
        data = os.read(self._descriptor, CHUNK)
        self._buffer += data
        return bool(data)


def check_begun(begun: bytearray) -> None:
    """Return whether this can still become a header. **Raises** `Untrusted`."""
    if len(begun) > HEADER_LIMIT:
        raise Untrusted(f"a header is longer than {HEADER_LIMIT} bytes")
    *lines, last = bytes(begun).split(b"\r\n")
    if any(not LINE.fullmatch(line) for line in lines) or not BEGUN.fullmatch(last):
        raise Untrusted("this is not a header (lines of `Name: value` that end in CR LF)")


def content_length(header: bytes) -> int:
    """Return the length in a header. **Raises** `Untrusted` when it has none, or several."""
    if len(header) > HEADER_LIMIT:
        raise Untrusted(f"a header is longer than {HEADER_LIMIT} bytes")
    lengths: set[int] = set()
    for line in header.split(b"\r\n"):
        member = LINE.fullmatch(line)
        if not member:
            raise Untrusted("a header line is not `Name: value`")
        name, value = member.groups()
        if name.lower() == b"content-length":
            lengths.add(_number(value))
    if len(lengths) != 1:
        raise Untrusted("a header must give one Content-Length")
    return lengths.pop()


def _number(value: bytes) -> int:
    if not value.isdigit() or len(value) > 20 or int(value) > DRAIN_LIMIT:
        raise Untrusted("a Content-Length is not a number of bytes that this server accepts")
    return int(value)
