"""The one pool of HTTP connections to models: what is sent to whom, and how a broken one is told."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field

import httpx

from aglet import __version__
from aglet.models.endpoint import Endpoint
from aglet.models.errors import CallFailed, Failure, broken_off, nonsense, too_long

CONNECTING = 10.0  # seconds
KEPT = 60.0  # seconds an idle connection is kept for the next turn
DIRECT: dict[str, None] = dict.fromkeys(
    ("all://localhost", "all://127.0.0.1", "all://[::1]")
)  # never through a proxy
NO_CERTIFICATES = Failure(
    "network", "The certificates could not be loaded.", "Check SSL_CERT_FILE and SSL_CERT_DIR."
)
CLOSED = (httpx.RemoteProtocolError, httpx.NetworkError)  # how a connection that the server closed shows
HEADERS = {"User-Agent": f"aglet/{__version__}", "Accept-Encoding": "identity"}


@dataclass(frozen=True, slots=True)
class Asked:
    """One HTTP request. `until` is when its whole answer must be there, in the event loop's time."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    content: bytes | None = None
    until: float | None = None


class Connections:
    """Made on first use: reading the certificates takes a while.

    Proxies and certificates come from the environment (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE); the
    certificates of the system count too.
    Redirects are not followed: a key belongs to one host. A kept connection that its server closed
    meanwhile (llama.cpp does after every streamed answer) costs nothing but another one.
    """

    def __init__(self, trusted: Callable[[], ssl.SSLContext] | None = None) -> None:
        self._trusted = trusted or system_trust
        self._client: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()

    @asynccontextmanager
    async def ask(self, endpoint: Endpoint, asked: Asked) -> AsyncGenerator[httpx.Response]:
        """Send a request; leaving closes the connection unless the answer was read to its end.

        Raises `CallFailed` for whatever goes wrong below HTTP, inside the block too.
        """
        _check(asked.headers, endpoint)
        with translated(endpoint):
            client = await self._made()
            request = client.build_request(
                asked.method,
                asked.url,
                content=asked.content,
                headers={"Content-Type": "application/json", **asked.headers},
                timeout=httpx.Timeout(endpoint.idle_timeout, connect=CONNECTING, pool=None),
            )
            try:
                async with asyncio.timeout_at(asked.until):
                    response = await _sent(client, request)
            except TimeoutError:
                raise CallFailed(too_long(endpoint)) from None
            try:
                yield response
            finally:
                await response.aclose()

    async def aclose(self) -> None:
        """Close every connection."""
        if self._client:
            await self._client.aclose()
            self._client = None

    async def _made(self) -> httpx.AsyncClient:
        async with self._making:
            if self._client is None:
                try:
                    self._client = await asyncio.to_thread(_client, self._trusted)
                except OSError:
                    raise CallFailed(NO_CERTIFICATES) from None
        return self._client


async def _sent(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """The head of the answer; only what goes wrong on a connection made for this request is raised."""
    while True:
        events: list[str] = []

        async def seen(event: str, _: object, events: list[str] = events) -> None:
            events.append(event)

        request.extensions["trace"] = seen
        try:
            return await client.send(request, stream=True)
        except CLOSED:
            if not events or any(event.endswith("connect_tcp.started") for event in events):
                raise


def _client(trusted: Callable[[], ssl.SSLContext]) -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=KEPT)
    return httpx.AsyncClient(
        headers=HEADERS, limits=limits, mounts=DIRECT, follow_redirects=False, verify=trusted()
    )


def system_trust() -> ssl.SSLContext:
    """Who is trusted: SSL_CERT_FILE and SSL_CERT_DIR, else the library's own list; and this system's."""
    trusted = httpx.create_ssl_context()
    trusted.load_default_certs()
    return trusted


def _check(headers: Mapping[str, str], endpoint: Endpoint) -> None:
    if all(value.isascii() and value.isprintable() for value in headers.values()):
        return
    variable = endpoint.key_variable
    where = f"the environment variable {variable}" if variable else "the configuration"
    message = f"The API key of {endpoint.name}, or a header, has characters that cannot be sent."
    raise CallFailed(Failure("auth", message, f"Check {where}."))


@contextmanager
def translated(endpoint: Endpoint) -> Generator[None]:
    """Turn what the HTTP library raises into `CallFailed`; the original is dropped, it may hold the key."""
    try:
        yield
    except (httpx.HTTPError, httpx.InvalidURL) as error:
        raise CallFailed(_told(error, endpoint)) from None


def _told(error: Exception, endpoint: Endpoint) -> Failure:
    match error:
        case httpx.ReadTimeout() | httpx.WriteTimeout():
            silence = f"{endpoint.name} was silent for {endpoint.idle_timeout:g} seconds."
            hint = "Raise idle_timeout if the model needs longer to begin."
            return Failure("timeout", silence, hint, passing=True)
        case httpx.ProxyError() if "407" in str(error):
            hint = "Write its login into the proxy's address: HTTPS_PROXY=http://NAME:PASSWORD@HOST:PORT."
            return Failure("network", f"The proxy wants a login for the way to {endpoint.host}.", hint)
        case httpx.ProxyError():
            hint = "Check HTTPS_PROXY, HTTP_PROXY and NO_PROXY."
            return Failure("network", f"The proxy refused the way to {endpoint.host}.", hint, passing=True)
        case httpx.ConnectError() | httpx.ConnectTimeout():
            return _unreachable(error, endpoint)
        case httpx.DecodingError():
            return nonsense(endpoint, "sent bytes that cannot be decoded")
        case httpx.TransportError() if not isinstance(
            error, httpx.UnsupportedProtocol | httpx.LocalProtocolError
        ):
            return broken_off(endpoint)
        case _:
            hint = "base_url must be like https://host/v1, and headers plain text."
            return Failure(
                "badRequest", f"{endpoint.name} cannot be asked: its address or headers are wrong.", hint
            )


def _unreachable(error: Exception, endpoint: Endpoint) -> Failure:
    message = f"{endpoint.address} cannot be reached."
    if "CERTIFICATE" in str(error).upper():
        hint = "Its certificate is not trusted: set SSL_CERT_FILE to your organisation's certificates."
        return Failure("network", message, hint)
    if endpoint.is_local:
        return Failure(
            "network", message, f"Is the server running? Start it, or correct base_url of {endpoint.name!r}."
        )
    return Failure("network", message, "Check the network, the proxy, and base_url.", passing=True)
