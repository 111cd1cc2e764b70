"""Server-sent events, and the other formats that servers send in their place.

WHATWG HTML, "Server-sent events", section 9.2.6, with what real servers add: a last event without a
blank line, errors as `error: {…}` lines or as bare JSON lines, a whole JSON document instead.
"""

import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import NamedTuple

LARGEST = 10_000_000  # bytes of one event or document
BOM = b"\xef\xbb\xbf"
WHITESPACE = b" \t\r\n"
FIELDS = frozenset({b"", b"data", b"event", b"id", b"retry", b"error"})  # "": a comment


class ServerEvent(NamedTuple):
    """One event: its type ("" for the usual one) and its data.

    One that has not `ended` is what was there of it when the body ended.
    """

    name: str
    data: str
    ended: bool = True


class BodyTooLarge(Exception):
    """An event or document is larger than `LARGEST`."""


class EventReader:
    """Splits bytes, cut anywhere, into whole events."""

    def __init__(self) -> None:
        self._rest: list[bytes] = []  # a line that has not ended yet
        self._size = 0  # bytes held since the last whole event
        self._after_cr = False
        self._begun = False
        self._name = ""
        self._data: list[bytes] = []
        self._events: list[ServerEvent] = []
        self._is_stream = False
        self._unknown = b""  # the first line that is none of a stream of events

    def feed(self, chunk: bytes) -> list[ServerEvent]:
        """Return the events that end in this piece. Raises `BodyTooLarge`."""
        if self._after_cr and chunk.startswith(b"\n"):  # the second half of a CRLF
            chunk, self._after_cr = chunk[1:], False
        if not chunk:
            return []
        self._after_cr = chunk.endswith(b"\r")
        self._size += len(chunk)
        end = max(chunk.rfind(b"\n"), chunk.rfind(b"\r")) + 1
        if end:
            self._lines(b"".join((*self._rest, chunk[:end])))
            self._rest = []
        if end < len(chunk):
            self._rest.append(chunk[end:])
        if self._size > LARGEST:
            raise BodyTooLarge
        return self._taken()

    def close(self) -> list[ServerEvent]:
        """Return the event that the end of the input completes."""
        self._lines(b"".join(self._rest) + b"\n\n")
        self._rest = []
        return [event._replace(ended=False) for event in self._taken()]

    @property
    def foreign(self) -> str:
        """The first line of a body in which nothing belongs to a stream of events; "" for a stream."""
        broke_off = any(field.startswith(self._unknown) for field in FIELDS)  # in the first name of a stream
        return "" if self._is_stream or broke_off else self._unknown.decode(errors="replace")

    def _taken(self) -> list[ServerEvent]:
        events, self._events = self._events, []
        return events

    def _lines(self, block: bytes) -> None:
        if not self._begun:
            self._begun = True
            block = block.removeprefix(BOM)
        for line in block.splitlines():
            if line.startswith(b"data:"):
                self._is_stream = True
                self._data.append(line[6:] if line[5:6] == b" " else line[5:])
            elif not line:
                self._dispatch()
            else:
                self._field(line)

    def _field(self, line: bytes) -> None:
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if line.startswith(b"{") or name in FIELDS:
            self._is_stream = True
        else:
            self._unknown = self._unknown or line
        if line.startswith(b"{"):
            self._events.append(ServerEvent(self._name, line.decode(errors="replace")))
            self._size = 0
        elif name == b"error":
            self._events.append(ServerEvent("error", value.decode(errors="replace")))
        elif name == b"event":
            self._name = value.decode(errors="replace")
        elif name == b"data":
            self._data.append(b"")
        # everything else is a comment or a field that means nothing here

    def _dispatch(self) -> None:
        if self._data:
            self._events.append(ServerEvent(self._name, b"\n".join(self._data).decode(errors="replace")))
        self._name, self._data = "", []
        self._size = 0


async def events(chunks: AsyncIterator[bytes]) -> AsyncGenerator[list[ServerEvent], None]:
    """Yield the events of a body, those of one read together. Raises `BodyTooLarge`.

    A body that begins like JSON or a web page is read whole, and each JSON value in it is an event; one
    whose first line is a JSON value is read line by line. A body that is none of these is one event.
    """
    head = await _head(chunks)
    lines = head.startswith(b"{") and _is_json(head.partition(b"\n")[0])
    if head.startswith((b"{", b"[", b"<")) and not lines:
        yield _values(await _whole(head, chunks))
        return
    reader = EventReader()
    yield reader.feed(head)
    async for chunk in chunks:
        yield reader.feed(chunk)
    closing = reader.close()
    yield closing if not reader.foreign else [ServerEvent("", reader.foreign)]


async def _head(chunks: AsyncIterator[bytes]) -> bytes:
    """Return the beginning of the body without white space: the whole first line when it begins an object."""
    pieces: list[bytes] = []
    size, first = 0, b""
    async for chunk in chunks:
        size += len(chunk)
        if size > LARGEST:
            raise BodyTooLarge
        pieces.append(chunk if pieces else chunk.lstrip(BOM + WHITESPACE))
        if not pieces[0]:
            pieces = []
            continue
        first = first or pieces[0][:1]
        if first != b"{" or b"\n" in pieces[-1]:
            break
    return b"".join(pieces)


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


async def _whole(head: bytes, chunks: AsyncIterator[bytes]) -> str:
    pieces, size = [head], len(head)
    async for chunk in chunks:
        pieces.append(chunk)
        size += len(chunk)
        if size > LARGEST:
            raise BodyTooLarge
    return b"".join(pieces).removeprefix(BOM).decode(errors="replace").strip()


def _values(text: str) -> list[ServerEvent]:
    found: list[ServerEvent] = []
    while text:
        try:
            _, end = json.JSONDecoder().raw_decode(text)
        except (ValueError, RecursionError):
            return [*found, ServerEvent("", text, ended=False)]
        found.append(ServerEvent("", text[:end]))
        text = text[end:].lstrip()
    return found
