"""Messages on a byte stream (LSP 3.17, Base Protocol)."""

import json
from collections.abc import Iterator
from typing import Any, cast

from agls.engine.vocabulary import JsonObject

HEADER_LIMIT = 8_192  # bytes of one header
BODY_LIMIT = 64 * 1024 * 1024  # bytes of one message


class BrokenStream(Exception):
    """Nobody knows where the next message begins."""


class MessageReader:
    """Turns the bytes of a stream into messages, however they are cut."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> Iterator[JsonObject]:
        """Yield the messages that are whole now. **Raises** `BrokenStream`."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n", 0, HEADER_LIMIT + 4)) >= 0:
            length = _length(bytes(self._buffer[:end]))
            if len(self._buffer) < end + 4 + length:
                return
            body = bytes(memoryview(self._buffer)[end + 4 : end + 4 + length])
            del self._buffer[: end + 4 + length]
            yield from _decoded(body)
        if len(self._buffer) > HEADER_LIMIT:
            raise BrokenStream("it wrote an invalid header")


def encode(message: JsonObject) -> bytes:
    """Return a message as it is sent."""
    body = json.dumps(message, separators=(",", ":")).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _length(header: bytes) -> int:
    for line in header.split(b"\r\n"):
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length" and value.strip().isdigit():
            if (length := int(value)) <= BODY_LIMIT:
                return length
            raise BrokenStream(f"it wrote a message of {length:,} bytes")
    raise BrokenStream("it wrote a header without a length")


def _decoded(body: bytes) -> Iterator[JsonObject]:
    try:
        message: Any = json.loads(body)
    except (ValueError, RecursionError) as problem:
        raise BrokenStream("it wrote invalid JSON") from problem
    if isinstance(message, dict):
        yield cast("JsonObject", message)
