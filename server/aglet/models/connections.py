"""The one pool of HTTP connections to models: what is sent to whom, and how a broken one is told."""

import asyncio
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager

import httpx

from aglet import __version__
from aglet.models.endpoint import Endpoint
from aglet.models.errors import CallFailed, Failure, broken_off, nonsense

CONNECTING = 10.0  # seconds
KEPT = 60.0  # seconds an idle connection is kept for the next turn
DIRECT: dict[str, None] = dict.fromkeys(
    ("all://localhost", "all://127.0.0.1", "all://[::1]")
)  # never through a proxy
NO_CERTIFICATES = Failure(
    "network", "The certificates could not be loaded.", "Check SSL_CERT_FILE and SSL_CERT_DIR."
)
HEADERS = {"User-Agent": f"aglet/{__version__}", "Accept-Encoding": "identity"}


class Connections:
    """Made on first use: reading the certificates takes a while.

    Proxies and certificates come from the environment (HTTPS_PROXY, NO_PROXY, SSL_CERT_FILE).
    Redirects are not followed: a key belongs to one host.
    """

    def __init__(self) -> None:
        self._client: httpx.AsyncClient | None = None
        self._making = asyncio.Lock()

    @asynccontextmanager
    async def ask(
        self, method: str, endpoint: Endpoint, path: str, content: bytes | None = None
    ) -> AsyncGenerator[httpx.Response]:
        """Send a request; leaving closes the connection unless the answer was read to its end.

        Raises `CallFailed` for whatever goes wrong below HTTP, inside the block too.
        """
        with translated(endpoint):
            client = await self._made()
            async with client.stream(
                method,
                endpoint.base_url.rstrip("/") + path,
                content=content,
                headers=_headers(endpoint),
                timeout=httpx.Timeout(endpoint.idle_timeout, connect=CONNECTING, pool=None),
            ) as response:
                yield response

    async def aclose(self) -> None:
        """Close every connection."""
        if self._client:
            await self._client.aclose()
            self._client = None

    async def _made(self) -> httpx.AsyncClient:
        async with self._making:
            if self._client is None:
                try:
                    self._client = await asyncio.to_thread(_client)
                except OSError:
                    raise CallFailed(NO_CERTIFICATES) from None
        return self._client


def _client() -> httpx.AsyncClient:
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=20, keepalive_expiry=KEPT)
    return httpx.AsyncClient(headers=HEADERS, limits=limits, mounts=DIRECT, follow_redirects=False)


def _headers(endpoint: Endpoint) -> dict[str, str]:
    key = endpoint.api_key.strip()
    headers = {**({"Authorization": f"Bearer {key}"} if key else {}), **endpoint.headers}
    if not all(value.isascii() and value.isprintable() for value in headers.values()):
        where = (
            f"the environment variable {endpoint.key_variable}"
            if endpoint.key_variable
            else "the configuration"
        )
        message = f"The API key of {endpoint.name}, or a header, has characters that cannot be sent."
        raise CallFailed(Failure("auth", message, f"Check {where}."))
    return {"Content-Type": "application/json", **headers}


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
