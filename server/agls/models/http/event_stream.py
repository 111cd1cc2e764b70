"""Amazon's binary event streams (`application/vnd.amazon.eventstream`), in which Bedrock answers.

A frame: its length, that of its headers, a checksum of both; the headers; the payload; a checksum of all.
"""

import json
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any
from zlib import crc32

from agls.json_values import object_in, text_in
from agls.models.http.sse import LARGEST, BodyTooLarge, ServerEvent

KIND = "vnd.amazon.eventstream"
AROUND = 16  # bytes of a frame besides headers and payload
SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}  # of header values, by their type
LENGTHS = {6, 7}  # types of header values that begin with their length
DAMAGED = ServerEvent("", "(a damaged frame)")


class FrameReader:
    """Splits bytes, cut anywhere, into whole events."""

    def __init__(self) -> None:
        self._held = bytearray()

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Return the events of the frames that end in this piece. Raises `BodyTooLarge`.

        Nothing can be read after a damaged frame."""
        self._held += chunk
        found: list[ServerEvent] = []
        while len(self._held) >= AROUND:
            length = int.from_bytes(self._held[:4])
            if crc32(self._held[:8]) != int.from_bytes(self._held[8:12]) or length < AROUND:
                return [*found, DAMAGED]
            if length > LARGEST:
                raise BodyTooLarge
            if len(self._held) < length:
                break
            frame = bytes(self._held[:length])
            del self._held[:length]
            found += _events(frame)
        return found


async def frames(chunks: AsyncIterator[bytes]) -> AsyncGenerator[list[ServerEvent], None]:
    """Yield the events of a body, those of one read together. Raises `BodyTooLarge`."""
    reader = FrameReader()
    async for chunk in chunks:
        yield reader.feed(chunk)


def _events(frame: bytes) -> list[ServerEvent]:
    if crc32(frame[:-4]) != int.from_bytes(frame[-4:]):
        return [DAMAGED]
    end = 12 + int.from_bytes(frame[4:8])
    headers = _headers(frame[12:end])
    try:
        payload = object_in(json.loads(frame[end:-4] or b"{}"))
        if (error := _error(headers, payload)) is not None:
            return [ServerEvent("error", json.dumps({"error": error}))]
        if headers.get(":event-type") != "chunk":
            return []
        return [
            ServerEvent("", b64decode(text_in(payload.get("bytes")), validate=True).decode(errors="replace"))
        ]
    except (ValueError, RecursionError, NotBase64):
        return [DAMAGED]


def _error(headers: Mapping[str, str], payload: Mapping[str, Any]) -> Mapping[str, str] | None:
    """Return the error in a frame, in the shape of other servers' errors."""
    match headers.get(":message-type"):
        case "exception":
            message = text_in(payload.get("message") or payload.get("Message"))
            return {"code": headers.get(":exception-type", "exception"), "message": message}
        case "error":
            return {"code": headers.get(":error-code", "error"), "message": headers.get(":error-message", "")}
        case _:
            return None


def _headers(block: bytes) -> Mapping[str, str]:
    """Return the headers with text values, up to the first that is incomplete."""
    found: dict[str, str] = {}
    while block:
        size = block[0]
        name, rest = block[1 : 1 + size], block[2 + size :]
        kind = block[1 + size : 2 + size]
        if not kind or (kind[0] not in SIZES and kind[0] not in LENGTHS):
            break
        start = 2 if kind[0] in LENGTHS else 0
        length = int.from_bytes(rest[:2]) if start else SIZES[kind[0]]
        if kind[0] == 7:
            found[name.decode(errors="replace")] = rest[start : start + length].decode(errors="replace")
        block = rest[start + length :]
    return found
