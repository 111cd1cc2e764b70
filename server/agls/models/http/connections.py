"""The pool of HTTP connections to models: requests, proxies, certificates, and failures below HTTP."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, nullcontext
from dataclasses import field
from functools import cache, lru_cache
from typing import NamedTuple
from urllib.request import getproxies, proxy_bypass

import httpx

from agls import __version__
from agls.frozen import frozen
from agls.models.endpoint import Endpoint
from agls.models.errors import CallFailed, Failure, incomplete, malformed, timed_out
from agls.models.http.addresses import resolve
from agls.models.http.transport import Resolve, Transport

CONNECTING = 10.0  # seconds
KEPT = 60.0  # seconds an idle connection is kept for the next turn
DIRECT = {"localhost", "127.0.0.1", "::1"}  # never through a proxy
NO_CERTIFICATES = Failure(
    "network", "The certificates could not be loaded.", "Check SSL_CERT_FILE and SSL_CERT_DIR."
)
NO_SUCH_PROXY = Failure(
    "network",
    "The proxy that the environment names cannot be used.",
    "HTTPS_PROXY, HTTP_PROXY and ALL_PROXY must be like http://HOST:PORT.",
)
CLOSED = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)  # how a closed connection shows
HEADERS = {
    "User-Agent": f"agls/{__version__}",
    "Accept": "*/*",
    "Accept-Encoding": "identity",
    "Connection": "keep-alive",
    "Content-Type": "application/json",
}
_UNLIMITED = nullcontext()


@frozen
class HttpRequest:
    """One HTTP request. `until` is the deadline of its whole response, in the event loop's time."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = None
    until: float | None = None


class Route(NamedTuple):
    """How a server is reached: through a `proxy` ("" for none), and whether anything on it is encrypted."""

    proxy: str
    encrypted: bool


class Connections:
    """The connections to all servers. Certificates are read when one is encrypted first, which takes a while.

    Proxies and certificates come from the environment (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE); the
    certificates of the system count too. Redirects are not followed: a key belongs to one host. Cookies are
    not kept. So transports are enough (docs/decisions/165, 207). A kept connection that its server closed
    meanwhile, as llama.cpp does after every streamed answer, is no failure (147).
    """

    def __init__(self, trusted: Callable[[], ssl.SSLContext] | None = None) -> None:
        self._trusted = cache(trusted or system_trust)
        self._transports: dict[Route, httpx.AsyncBaseTransport] = {}
        self._making = asyncio.Lock()
        self._route = cache(_route_of)  # by the text: hashing an `httpx.URL` writes it out each time
        self._kept: set[bytes] = set()  # the servers to which a connection may have been kept

    @asynccontextmanager
    async def ask(self, endpoint: Endpoint, wanted: HttpRequest) -> AsyncGenerator[httpx.Response]:
        """Send a request and yield its response. Leaving it before its end closes the connection.

        Raises `CallFailed` for every error below HTTP, inside the block too.
        """
        with failures_raised(endpoint):
            idle, request = endpoint.idle_timeout, _request(wanted, endpoint)
            transport = await self._transport_for(self._route(wanted.url))
            try:
                async with ending_at(wanted.until, CONNECTING + 2 * idle):
                    response = await self._response(transport, request)
            except TimeoutError:
                raise CallFailed(timed_out(endpoint)) from None
            try:
                yield response
            finally:
                await response.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        for transport in self._transports.values():
            await transport.aclose()
        self._transports.clear()

    async def _response(self, transport: httpx.AsyncBaseTransport, request: httpx.Request) -> httpx.Response:
        """Return the response's head, from a new connection when a kept one turns out to be closed."""
        server = request.url.netloc
        try:
            response = await transport.handle_async_request(request)
        except CLOSED:
            if server not in self._kept:
                raise
            self._kept.discard(server)
            response = await transport.handle_async_request(request)
        self._kept.add(server)
        return response

    async def _transport_for(self, route: Route) -> httpx.AsyncBaseTransport:
        if route not in self._transports:
            async with self._making:
                if route not in self._transports:
                    try:
                        trusted = await asyncio.to_thread(
                            self._trusted if route.encrypted else nobody_trusted
                        )
                    except OSError:
                        raise CallFailed(NO_CERTIFICATES) from None
                    self._transports[route] = new_transport(route.proxy, trusted)
        return self._transports[route]


def _route_of(url: str) -> Route:
    parsed = httpx.URL(url)
    proxy = proxy_for(parsed)
    return Route(proxy, encrypted=bool(proxy) or parsed.scheme != "http")


def _request(wanted: HttpRequest, endpoint: Endpoint) -> httpx.Request:
    url, headers, can_be_sent = _address(wanted.url, tuple(wanted.headers.items()))
    if not can_be_sent:
        raise CallFailed(_unsendable(endpoint))
    content, extensions = wanted.content or b"", {"timeout": time_limits(endpoint.idle_timeout)}
    request = httpx.Request(
        wanted.method, url, headers=headers, stream=httpx.ByteStream(content), extensions=extensions
    )
    if wanted.content is not None:
        request.headers["Content-Length"] = str(len(content))
    return request


@lru_cache(maxsize=64)  # every turn asks the same server in the same words
def _address(url: str, headers: tuple[tuple[str, str], ...]) -> tuple[httpx.URL, httpx.Headers, bool]:
    """Return the URL, all headers, and whether the headers can be encoded."""
    parsed = httpx.URL(url)
    if not all(value.isascii() and value.isprintable() for _, value in headers):
        return parsed, httpx.Headers(), False
    return parsed, httpx.Headers({"Host": parsed.netloc.decode("ascii"), **HEADERS, **dict(headers)}), True


def ending_at(until: float | None, longest: float) -> AbstractAsyncContextManager[object]:
    """Return a context that ends work at `until` (event loop's time) when it could last longer.

    `longest` is the bound of the work itself in seconds. A timer is set only when it reaches beyond `until`.
    """
    if until is None or until - asyncio.get_running_loop().time() > longest:
        return _UNLIMITED
    return asyncio.timeout_at(until)


def time_limits(idle: float) -> dict[str, float | None]:
    """Return the transport's own limits: for connecting, and for `idle` seconds of silence."""
    return {"connect": CONNECTING, "read": idle, "write": idle, "pool": None}


def proxy_for(url: httpx.URL) -> str:
    """Return the proxy for this address, "" for none. This machine is reached without one."""
    proxies = getproxies()
    proxy = proxies.get(url.scheme) or proxies.get("all", "")
    if not proxy or url.host in DIRECT or proxy_bypass(url.netloc.decode("ascii")) or proxy_bypass(url.host):
        return ""
    return proxy if "://" in proxy else f"http://{proxy}"


def new_transport(proxy: str, trusted: ssl.SSLContext, look_up: Resolve = resolve) -> Transport:
    """Return a transport through this proxy, "" for none. Raises `CallFailed`."""
    try:
        return Transport(trusted, KEPT, httpx.Proxy(proxy) if proxy else None, look_up)
    except ValueError:
        raise CallFailed(NO_SUCH_PROXY) from None


def nobody_trusted() -> ssl.SSLContext:
    """Return a context without certificates: to read them takes as long as the rest of a first request."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def system_trust() -> ssl.SSLContext:
    """Return the trusted certificates: SSL_CERT_FILE and SSL_CERT_DIR or the library's, and the system's."""
    trusted = httpx.create_ssl_context()
    trusted.load_default_certs()
    return trusted


def _unsendable(endpoint: Endpoint) -> Failure:
    variable = endpoint.key_variable
    where = f"the environment variable {variable}" if variable else "the configuration"
    message = f"The API key of {endpoint.name}, or a header, has characters that cannot be sent."
    return Failure("auth", message, f"Check {where}.")


@contextmanager
def failures_raised(endpoint: Endpoint) -> Generator[None]:
    """Raise errors of the HTTP library as `CallFailed`, without the original, which may hold the key."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CallFailed(_failure(error, endpoint)) from None


def _failure(error: Exception, endpoint: Endpoint) -> Failure:
    match error:
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            silence = f"{endpoint.name} was silent for {endpoint.idle_timeout:g} seconds."
            hint = "Raise idle_timeout if the model needs longer to begin."
            return Failure("timeout", silence, hint, is_retryable=True)
        case httpx.ProxyError() if "407" in str(error):
            hint = "Write its login into the proxy's address: HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT."
            return Failure("network", f"The proxy wants a login for the way to {endpoint.host}.", hint)
        case httpx.ProxyError():
            hint = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY."
            return Failure(
                "network", f"The proxy refused the way to {endpoint.host}.", hint, is_retryable=True
            )
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return _unreachable(error, endpoint)
        case httpx.DecodingError():
            return malformed(endpoint, "sent bytes that cannot be decoded")
        case httpx.TransportError() if not isinstance(
            error, httpx.UnsupportedProtocol | httpx.LocalProtocolError
        ):
            return incomplete(endpoint)
        case _:
            place = endpoint.address_place or "base_url"
            hint = f"{place} must be like https://host/v1, and headers plain text."
            return Failure(
                "badRequest", f"{endpoint.name} cannot be asked: its address or headers are wrong.", hint
            )


def _unreachable(error: Exception, endpoint: Endpoint) -> Failure:
    message = f"{endpoint.address} cannot be reached."
    if "CERTIFICATE" in str(error).upper():
        hint = "Its certificate is not trusted: set SSL_CERT_FILE to your organisation's certificates."
        return Failure("network", message, hint)
    if endpoint.is_local:
        place = f", or correct {endpoint.address_place}" if endpoint.address_place else ""
        return Failure("network", message, f"Is the server running? Start it{place}.")
    place = endpoint.address_place
    things = f"the network, the proxy, and {place}" if place else "the network and the proxy"
    return Failure("network", message, f"Check {things}.", is_retryable=True)
