"""The transport of HTTP requests: connections opened, kept for the next request, and led through proxies.

It implements the interface that httpx documents for this purpose, over asyncio's own connections
(docs/decisions/207, 401, 600).
"""

import asyncio
import ssl
from asyncio.staggered import staggered_race
from base64 import b64encode
from collections.abc import AsyncIterator, Awaitable, Callable, Generator, Sequence
from contextlib import contextmanager
from functools import partial
from typing import Any, cast

import httpx

from agls.frozen import frozen
from agls.models.http.addresses import Addresses, resolve
from agls.models.http.connection import HttpConnection
from agls.regex import regex

EYEBALLS = 0.25  # seconds until the next address of a host is tried as well (RFC 8305, section 5)
KEPT = 20  # idle connections of a transport
PORTS = {"http": 80, "https": 443}
NAME = regex(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")  # of a header (RFC 9110, section 5.6.2)
NO_VALUE = regex(rb"[\0\r\n]")
Resolve = Callable[[str, int], Awaitable[Addresses]]


@frozen
class HttpServer:
    """A server, as far as connections are concerned."""

    scheme: str
    host: str
    port: int

    @classmethod
    def of(cls, url: httpx.URL) -> "HttpServer":
        """Return the server of an address. Raises `httpx.UnsupportedProtocol`."""
        if url.scheme not in PORTS or not url.host:
            raise httpx.UnsupportedProtocol("The address must begin with http:// or https:// and a host.")
        return cls(url.scheme, url.raw_host.decode("ascii"), url.port or PORTS[url.scheme])

    @property
    def is_secure(self) -> bool:
        """Whether connections are encrypted."""
        return self.scheme == "https"


class Transport(httpx.AsyncBaseTransport):
    """HTTP/1.1 over connections of which the idle ones are kept for `kept` seconds.

    Connections go to the addresses that `look_up` returns for a host, and to no others.

    Raises `ValueError` for a proxy that does not speak HTTP.
    """

    def __init__(
        self,
        trusted: ssl.SSLContext,
        kept: float,
        proxy: httpx.Proxy | None = None,
        look_up: Resolve = resolve,
    ) -> None:
        if proxy and proxy.url.scheme not in PORTS:
            raise ValueError(proxy.url.scheme)
        trusted.set_alpn_protocols(["http/1.1"])
        self._trusted, self._kept = trusted, kept
        self._look_up = look_up
        self._proxy = HttpServer.of(proxy.url) if proxy else None
        self._login = _login_of(proxy) if proxy else b""
        self._idle: list[tuple[HttpServer, HttpConnection]] = []  # the one used last stands last
        self._loop: asyncio.AbstractEventLoop

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Return the head of the response, with its body as a stream. Raises `httpx.TransportError`."""
        self._loop = asyncio.get_running_loop()
        server = HttpServer.of(request.url)
        limits = cast("dict[str, float]", request.extensions["timeout"])
        sent = self._written(request, server)
        connection = self._kept_connection(server) or await self._connect(server, limits["connect"])
        try:
            await connection.ask(sent, limits["read"])
        except BaseException:
            connection.close()
            raise
        body = _Body(connection, limits["read"], partial(self._release, server, connection))
        return httpx.Response(connection.status, headers=connection.headers, stream=body)

    @property
    def kept_connections(self) -> int:
        """How many idle connections are open."""
        return sum(connection.is_idle for _, connection in self._idle)

    async def aclose(self) -> None:
        """Close every idle connection."""
        for _, connection in self._idle:
            connection.close()
        self._idle.clear()
        await asyncio.sleep(0)  # the event loop lets go of them in its next turn

    def _written(self, request: httpx.Request, server: HttpServer) -> bytes:
        """Return a request as it is sent. Raises `httpx.LocalProtocolError`."""
        headers = request.headers.raw
        if not all(NAME.fullmatch(name) and not NO_VALUE.search(value) for name, value in headers):
            raise httpx.LocalProtocolError("A header cannot be sent.")
        target, url = request.url.raw_path, request.url
        forwarded = self._proxy and not server.is_secure
        if forwarded:
            target = b"%b://%b%b" % (url.raw_scheme, url.netloc, target)
        lines = [b"%b %b HTTP/1.1" % (request.method.encode("ascii"), target)]
        lines += [b"%b: %b" % header for header in headers]
        lines += [self._login] if forwarded and self._login else []
        body = b"".join(cast("httpx.SyncByteStream", request.stream))
        return b"%b\r\n\r\n%b" % (b"\r\n".join(lines), body)

    # --- connections ---

    def _kept_connection(self, server: HttpServer) -> HttpConnection | None:
        found: HttpConnection | None = None
        now = self._loop.time()
        for known in reversed(tuple(self._idle)):
            other, connection = known
            if now - connection.idle_since > self._kept or (other == server and not connection.is_idle):
                self._idle.remove(known)
                connection.close()
            elif other == server and not found:
                self._idle.remove(known)
                found = connection
        return found

    def _release(self, server: HttpServer, connection: HttpConnection) -> None:
        """Keep a connection whose response is whole for the next request."""
        if not connection.is_reusable:
            connection.close()
            return
        connection.idle_since = self._loop.time()
        self._idle.append((server, connection))
        while len(self._idle) > KEPT:
            self._idle.pop(0)[1].close()

    async def _connect(self, server: HttpServer, seconds: float) -> HttpConnection:
        """Return a new connection to a server, through the proxy if there is one."""
        first = self._proxy or server
        with _as_httpx():
            async with asyncio.timeout(seconds):
                connection = await _connected(await self._look_up(first.host, first.port), first.port)
                try:
                    if first.is_secure:
                        await connection.start_tls(self._trusted, first.host)
                    if self._proxy and server.is_secure:
                        await self._tunnel(connection, server, seconds)
                        await connection.start_tls(self._trusted, server.host)
                except BaseException:
                    connection.close()
                    raise
        return connection

    async def _tunnel(self, connection: HttpConnection, server: HttpServer, seconds: float) -> None:
        """Have the proxy lead the connection to a server. Raises `httpx.ProxyError`."""
        place = f"[{server.host}]" if ":" in server.host else server.host
        place = f"{place}:{server.port}"
        lines = [f"CONNECT {place} HTTP/1.1", f"Host: {place}", "Accept: */*"]
        lines += [self._login.decode("ascii")] if self._login else []
        await connection.ask("\r\n".join([*lines, "", ""]).encode("ascii"), seconds)
        if not 200 <= connection.status < 300:
            raise httpx.ProxyError(connection.reason)


class _Body(httpx.AsyncByteStream):
    """The body of a response: all that is there comes as one piece."""

    def __init__(self, connection: HttpConnection, seconds: float, release: Callable[[], None]) -> None:
        self._connection, self._seconds = connection, seconds
        self._release = release
        self._is_open = True

    async def __aiter__(self) -> AsyncIterator[bytes]:
        while piece := await self._connection.read(self._seconds):
            yield piece

    async def aclose(self) -> None:
        if self._is_open:
            self._is_open = False
            self._release()


def _login_of(proxy: httpx.Proxy) -> bytes:
    if proxy.raw_auth is None:
        return b""
    return b"Proxy-Authorization: Basic " + b64encode(b"%b:%b" % proxy.raw_auth)


async def _connected(addresses: Sequence[str], port: int) -> HttpConnection:
    """Return a connection to one of the addresses, trying the next when one is slow. Raises `OSError`."""
    loop = asyncio.get_running_loop()
    tried: list[HttpConnection] = []
    chosen: HttpConnection | None = None

    def another() -> HttpConnection:
        tried.append(HttpConnection())
        return tried[-1]

    attempts = [partial(loop.create_connection, another, address, port) for address in addresses]
    try:
        chosen = await _first(attempts)
        return chosen
    finally:
        for connection in tried:
            if connection is not chosen:  # also one that was established at the moment of a cancel
                connection.close()


async def _first(attempts: Sequence[Callable[[], Awaitable[tuple[Any, HttpConnection]]]]) -> HttpConnection:
    if len(attempts) == 1:
        return (await attempts[0]())[1]
    made, _, problems = await staggered_race(attempts, EYEBALLS)
    if made is None:
        raise OSError("; ".join(map(str, problems)))
    return made[1]


@contextmanager
def _as_httpx() -> Generator[None]:
    """Raise the errors of connecting as httpx's."""
    try:
        yield
    except TimeoutError as error:
        raise httpx.ConnectTimeout(str(error)) from error
    except (OSError, UnicodeError) as error:  # an error of TLS is an `OSError`, too
        raise httpx.ConnectError(str(error)) from error
