"""One HTTP/1.1 connection of the event loop: it sends a request, and its response is taken apart as it comes.

The grammar of HTTP is that of llhttp (`httptools`), which reads a piece of input in one call; all that one
piece brings of a body is read at once, and nothing waits for more (docs/decisions/400, 600).
"""

import asyncio
import select
import ssl
from math import inf
from typing import cast

import httpx
from httptools import HttpParserError, HttpParserUpgrade, HttpResponseParser

MOST = 1 << 18  # bytes of an unread body; then reading pauses
CUT = "The connection was closed before the response was complete."
SURPLUS = "The server sent more than it was asked for."
SILENT = "The server closed the connection without a response."
INTERIM = range(100, 200)  # statuses of responses that another one follows
ErrorType = type[httpx.TransportError]


class HttpConnection(asyncio.Protocol):
    """One connection, with the response that it receives and at most one waiting task."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._connected = self._abandoned = self._closed = False
        self._blocked = False  # whether the output buffer is full
        self._paused = False  # whether the server has to wait
        self._waiting: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = inf  # of the wait, in loop time
        self._timeout_error: ErrorType = httpx.ReadTimeout
        self.idle_since = 0.0  # in loop time
        self._expect()
        self._whole = True  # nothing was asked for yet

    def _expect(self) -> None:
        """Begin a response."""
        self._parser = HttpResponseParser(self)
        self.status, self.headers = 0, list[tuple[bytes, bytes]]()
        self._reason = b""
        self._has_head = self._whole = self._is_kept = False
        self._failure: httpx.TransportError | None = None
        self._body, self._unread = list[bytes](), 0

    # --- for the parser ---

    def on_message_begin(self) -> None:
        """Take in the beginning of a response; nobody asked for another one behind it."""
        if self._whole:
            self._is_kept, self._failure = False, httpx.RemoteProtocolError(SURPLUS)
            raise self._failure

    def on_status(self, reason: bytes) -> None:
        """Take in a part of the words behind the status."""
        self._reason += reason

    def on_header(self, name: bytes, value: bytes) -> None:
        """Take in a header, also one behind the body."""
        if not self._has_head:
            self.headers.append((name, value))

    def on_headers_complete(self) -> None:
        """Take in the end of the head."""
        self.status = self._parser.get_status_code()
        self._has_head = self.status not in INTERIM

    def on_body(self, data: bytes) -> None:
        """Take in a piece of the body."""
        self._body.append(data)
        self._unread += len(data)

    def on_message_complete(self) -> None:
        """Take in the end of the response; an interim one is dropped."""
        self._whole, self._is_kept = self._has_head, self._parser.should_keep_alive()
        if not self._has_head:
            self.headers.clear()
            self._reason = b""

    # --- for the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._connected = cast("asyncio.Transport", transport), True
        if self._abandoned:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        if self._whole:  # nobody asked for it
            self.close()
            return
        try:
            self._parser.feed_data(data)
        except (HttpParserError, HttpParserUpgrade) as problem:
            if not self._whole:
                self._failure = httpx.RemoteProtocolError(f"{type(problem).__name__}: {problem}")
            self.close()
        if self._unread > MOST and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._closed = True
        if self._timer:
            self._timer.cancel()
        if not self._whole and not self._failure:
            if exc:
                self._failure = httpx.ReadError(str(exc))
            elif self._has_head and self._ends_with_connection():
                self._whole = True
            else:
                self._failure = httpx.RemoteProtocolError(CUT if self._has_head else SILENT)
        self._wake()

    def pause_writing(self) -> None:
        self._blocked = True

    def resume_writing(self) -> None:
        self._blocked = False
        self._wake()

    def _ends_with_connection(self) -> bool:
        """Return whether nothing in the head says where the body ends."""
        return not any(name.lower() in {b"content-length", b"transfer-encoding"} for name, _ in self.headers)

    def _wake(self) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    # --- for who asks ---

    @property
    def reason(self) -> str:
        """The status and its words."""
        return f"{self.status} {self._reason.decode('ascii', 'replace')}"

    @property
    def is_reusable(self) -> bool:
        """Whether another request can be sent: the response is whole, and the server keeps the connection."""
        return self._is_kept and not (self._closed or self._blocked or self._transport.is_closing())

    @property
    def is_idle(self) -> bool:
        """Whether a kept connection is still open, as far as the operating system knows."""
        if self._closed or self._transport.is_closing():
            return False
        looking = select.poll()
        looking.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return not looking.poll(0)

    async def ask(self, request: bytes, seconds: float) -> None:
        """Send a request and wait for the head of its response, through `seconds` of silence at most.

        A response that comes before all is sent ends the wait. Raises `httpx.TransportError`.
        """
        if self._closed or self._transport.is_closing():
            raise httpx.WriteError("The connection was closed.")
        self._expect()
        self._transport.write(request)
        while not self._has_head:
            if self._failure:
                raise self._failure
            await self._wait(seconds, httpx.WriteTimeout if self._blocked else httpx.ReadTimeout)

    async def read(self, seconds: float) -> bytes:
        """Return what came of the body, `b""` at its end. Raises `httpx.TransportError`."""
        while not self._body:
            if self._whole:
                return b""
            if self._failure:
                raise self._failure
            await self._wait(seconds, httpx.ReadTimeout)
        read = b"".join(self._body)
        self._body.clear()
        self._unread = 0
        if self._paused and not self._closed:
            self._paused = False
            self._transport.resume_reading()
        return read

    async def start_tls(self, trusted: ssl.SSLContext, host: str) -> None:
        """Encrypt the connection. Raises `OSError`."""
        encrypted = await self._loop.start_tls(self._transport, self, trusted, server_hostname=host)
        self._transport = cast("asyncio.Transport", encrypted)

    def close(self) -> None:
        """Close the connection, now or as soon as it is established, and discard what is unsent."""
        self._abandoned = True
        if self._connected:
            self._transport.abort()

    async def _wait(self, seconds: float, late: ErrorType) -> None:
        """Wait for a change. Raises `late` after so many seconds."""
        self._waiting, self._timeout_error = self._loop.create_future(), late
        self._deadline = self._loop.time() + seconds
        self._watch()
        try:
            await self._waiting
        finally:
            self._waiting = None

    def _watch(self) -> None:
        """Bound the wait. One timer serves many waits: nearly all end long before it."""
        if self._timer and self._timer.when() > self._deadline:
            self._timer.cancel()
            self._timer = None
        if not self._timer and self._deadline < inf:
            self._timer = self._loop.call_at(self._deadline, self._look)

    def _look(self) -> None:
        self._timer = None
        if not self._waiting or self._waiting.done():
            return
        if self._loop.time() < self._deadline:
            self._watch()
        else:
            self._waiting.set_exception(self._timeout_error("nothing came in time"))
