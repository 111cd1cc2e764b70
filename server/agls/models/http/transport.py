"""The transport of HTTP requests, over asyncio's own connections (docs/decisions/207, 401).

httpx's own transport reaches asyncio through a layer for several event loops, which takes a turn of the loop
for every write and a scope for every read. All classes here implement interfaces that httpx and httpcore
document for this purpose.
"""

import asyncio
import select
import ssl
from asyncio.staggered import staggered_race
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from functools import partial
from math import inf
from typing import Any, cast

import httpcore
import httpx

from agls.models.http.addresses import resolve

TOGETHER = 1 << 16  # bytes; smaller writes are joined
MOST = 1 << 18  # bytes of unread input; then reading pauses
EYEBALLS = 0.25  # seconds until the next address of a host is tried as well (RFC 8305, section 5)
KEPT = 20  # idle connections per pool
RAISED = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
ErrorType = type[Exception]


class Transport(httpx.AsyncBaseTransport):
    """HTTP/1.1 over a pool of connections; idle ones are kept for `kept` seconds.

    Raises `ValueError` for a proxy that does not speak HTTP.
    """

    def __init__(self, trusted: ssl.SSLContext, kept: float, proxy: httpx.Proxy | None = None) -> None:
        if proxy and proxy.url.scheme not in {"http", "https"}:
            raise ValueError(proxy.url.scheme)
        self._pool = _Pool(
            ssl_context=trusted,
            proxy=httpcore.Proxy(_plain(proxy.url), proxy.raw_auth, proxy.headers.raw) if proxy else None,
            max_connections=None,
            max_keepalive_connections=KEPT,
            keepalive_expiry=kept,
            network_backend=AsyncioBackend(),
        )

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the head of the response, with its body as a stream. Raises `httpx.TransportError`."""
        sent = httpcore.Request(
            method=request.method,
            url=_plain(request.url),
            headers=request.headers.raw,
            content=cast("httpx.AsyncByteStream", request.stream),
            extensions=request.extensions,
        )
        try:
            received = await self._pool.handle_async_request(sent)
        except RAISED as error:
            raise _as_httpx(error) from error
        return httpx.Response(received.status, headers=received.headers, stream=_Body(received))

    async def aclose(self) -> None:
        """Close every connection."""
        await self._pool.aclose()


class _Pool(httpcore.AsyncConnectionPool):
    """A pool of connections that close when their first request fails."""

    def create_connection(self, origin: httpcore.Origin) -> httpcore.AsyncConnectionInterface:
        return _OwnedConnection(super().create_connection(origin))


class _OwnedConnection(httpcore.AsyncConnectionInterface):
    """A connection that belongs to the request it was opened for until its first response.

    Otherwise a cancel between connecting and sending would leave it open and unused for ever, because the
    pool counts it as busy.
    """

    def __init__(self, connection: httpcore.AsyncConnectionInterface) -> None:
        self._connection, self._answered = connection, False

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        try:
            response = await self._connection.handle_async_request(request)
        except BaseException:
            if not self._answered:
                await self._connection.aclose()
            raise
        self._answered = True
        return response

    async def aclose(self) -> None:
        await self._connection.aclose()

    def info(self) -> str:
        return self._connection.info()

    def can_handle_request(self, origin: httpcore.Origin) -> bool:
        return self._connection.can_handle_request(origin)

    def is_available(self) -> bool:
        return self._connection.is_available()

    def has_expired(self) -> bool:
        return self._connection.has_expired()

    def is_idle(self) -> bool:
        return self._connection.is_idle()

    def is_closed(self) -> bool:
        return self._connection.is_closed()


class _Body(httpx.AsyncByteStream):
    def __init__(self, answer: httpcore.Response) -> None:
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        try:
            async for part in cast("AsyncIterator[bytes]", self._answer.stream):
                yield part
        except RAISED as error:
            raise _as_httpx(error) from error

    async def aclose(self) -> None:
        await asyncio.shield(self._answer.aclose())  # a half-closed one would count as busy for ever


def _plain(url: httpx.URL) -> httpcore.URL:
    return httpcore.URL(scheme=url.raw_scheme, host=url.raw_host, port=url.port, target=url.raw_path)


def _as_httpx(error: Exception) -> httpx.TransportError:
    """Return the httpx error of the same name as this error of httpcore."""
    return getattr(httpx, type(error).__name__)(str(error))


class AsyncioBackend(httpcore.AsyncNetworkBackend):
    """Opens connections of the running event loop."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - as the base class says it
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Return a connection to the first address of the host that answers. Socket options are ignored.

        Raises `httpcore.ConnectTimeout`, `httpcore.ConnectError`.
        """
        with _failing_as(httpcore.ConnectTimeout, httpcore.ConnectError):
            async with asyncio.timeout(timeout):
                return await _connected(await resolve(host, port), port)


async def _connected(addresses: Sequence[str], port: int) -> "SocketStream":
    """Return a connection to one of the addresses, trying the next when one is slow. Raises `OSError`."""
    loop = asyncio.get_running_loop()
    tried: list[SocketStream] = []
    chosen: SocketStream | None = None

    def another() -> SocketStream:
        tried.append(SocketStream())
        return tried[-1]

    attempts = [partial(loop.create_connection, another, address, port) for address in addresses]
    try:
        chosen = await _first(attempts)
        return chosen
    finally:
        for connection in tried:
            if connection is not chosen:  # also one that was established at the moment of a cancel
                connection.abandon()


async def _first(attempts: "Sequence[Callable[[], Awaitable[tuple[Any, SocketStream]]]]") -> "SocketStream":
    if len(attempts) == 1:
        return (await attempts[0]())[1]
    made, _, problems = await staggered_race(attempts, EYEBALLS)
    if made is None:
        raise OSError("; ".join(map(str, problems)))
    return made[1]


class SocketStream(asyncio.Protocol, httpcore.AsyncNetworkStream):
    """One connection, with its unread input and at most one waiting reader or writer."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._connected = self._abandoned = False
        self._received = bytearray()
        self._paused = False  # whether the server has to wait
        self._ended: Exception | bool = False  # True at the end of the input, or the error
        self._blocked = False  # whether the output buffer is full
        self._unsent = bytearray()
        self._waiting: asyncio.Future[None] | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._deadline = inf  # of the wait, in loop time
        self._timeout_error: ErrorType = httpcore.TimeoutException

    # --- for the event loop ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport, self._connected = cast("asyncio.Transport", transport), True
        if self._abandoned:
            self._transport.abort()

    def data_received(self, data: bytes) -> None:
        self._received += data
        if len(self._received) > MOST and not self._paused:
            self._paused = True
            self._transport.pause_reading()
        self._wake()

    def eof_received(self) -> None:
        self._ended = self._ended or True
        self._wake()

    def connection_lost(self, exc: Exception | None) -> None:
        self._ended = exc or self._ended or True
        if self._timer:
            self._timer.cancel()
        self._wake()

    def pause_writing(self) -> None:
        self._blocked = True

    def resume_writing(self) -> None:
        self._blocked = False
        self._wake()

    def _send(self) -> None:
        """Send the head and body of a request in one piece, in the step that wrote them."""
        if self._unsent and not self._transport.is_closing():
            self._transport.write(bytes(self._unsent))
        self._unsent.clear()

    def _wake(self) -> None:
        if self._waiting and not self._waiting.done():
            self._waiting.set_result(None)

    def abandon(self) -> None:
        """Abort the connection, now or as soon as it is established."""
        self._abandoned = True
        if self._connected:
            self._transport.abort()

    # --- for the HTTP library, which never reads and writes at the same time ---

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - see above
        """Return available input, `b""` at the end. Raises `httpcore.ReadTimeout`, `httpcore.ReadError`."""
        self._send()
        while not (self._received or self._ended):
            await self._wait(timeout, httpcore.ReadTimeout)
        if not self._received and isinstance(self._ended, Exception):
            raise httpcore.ReadError(str(self._ended)) from self._ended
        read = bytes(self._received[:max_bytes])
        del self._received[:max_bytes]
        if self._paused and not self._ended:
            self._paused = False
            self._transport.resume_reading()
        return read

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - see above
        """Send all of `buffer`. Raises `httpcore.WriteTimeout`, `httpcore.WriteError`."""
        if self._ended or self._transport.is_closing():
            raise httpcore.WriteError("The connection was closed.")
        if len(self._unsent) + len(buffer) > TOGETHER:
            self._send()
            self._transport.write(buffer)
        else:
            if not self._unsent:
                self._loop.call_soon(self._send)
            self._unsent += buffer
        while self._blocked and not self._ended:
            await self._wait(timeout, httpcore.WriteTimeout)

    async def aclose(self) -> None:
        """Close the connection and discard unsent output."""
        self._transport.abort()
        await asyncio.sleep(0)  # the loop releases it in its next turn

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - see above
    ) -> httpcore.AsyncNetworkStream:
        """Encrypt this connection and return it. Raises as `connect_tcp` does."""
        with _failing_as(httpcore.ConnectTimeout, httpcore.ConnectError):
            async with asyncio.timeout(timeout):
                encrypted = await self._loop.start_tls(
                    self._transport, self, ssl_context, server_hostname=server_hostname
                )
        self._transport = cast("asyncio.Transport", encrypted)
        return self

    def get_extra_info(self, info: str) -> Any:
        """Return `ssl_object`, `socket` or an address; `is_readable`: whether an idle connection ended."""
        if info == "is_readable":
            return bool(self._received or self._ended) or self._readable()
        known = {"client_addr": "sockname", "server_addr": "peername"}
        return self._transport.get_extra_info(known.get(info, info))

    def _readable(self) -> bool:
        looking = select.poll()
        looking.register(self._transport.get_extra_info("socket"), select.POLLIN)
        return bool(looking.poll(0))

    async def _wait(self, seconds: float | None, late: ErrorType) -> None:
        """Wait for a change. Raises `late` after so many seconds."""
        self._waiting, self._timeout_error = self._loop.create_future(), late
        self._deadline = inf if seconds is None else self._loop.time() + seconds
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


@contextmanager
def _failing_as(late: ErrorType, broken: ErrorType) -> Generator[None]:
    try:
        yield
    except TimeoutError as error:
        raise late(str(error)) from error
    except OSError as error:  # that of TLS is one, too
        raise broken(str(error)) from error
