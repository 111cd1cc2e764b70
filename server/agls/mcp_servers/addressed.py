"""An MCP server at an address, as the SDK talks to it: streamable HTTP, or SSE where that is said."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import asynccontextmanager

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from agls.mcp_servers.callers import Callers
from agls.mcp_servers.logins import Logins
from agls.mcp_servers.oauth import OWN, ServerLogin
from agls.room.mcp_ports import ServerDefinition

LONGEST_EVENT = 16_000_000  # bytes
LONGEST_OF_LOGIN = 1_000_000  # bytes of an answer about a login
TOO_LONG = "its answer has more than {:,} bytes"
PACKED = "its answer is compressed, which was not asked for"
CONNECT = 30.0  # seconds
UNAUTHORIZED = 401
REFUSED = {
    UNAUTHORIZED: "it refused the key in its headers (HTTP 401)",
    403: "it refused the key (HTTP 403)",
    404: "there is no MCP server at this address (HTTP 404)",
}
LOGIN = "it wants a login: /mcp.login {0}, or `agls mcp login {0}` at a terminal"
BAD, BROKEN = 400, 500  # HTTP statuses from here on
PASSING = {408, 425, 429}  # HTTP statuses
Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]


class AddressedStreams:
    """The connection to an address. `trouble` says what the last refused request was answered with, and
    whether that `may_pass`.

    One that has no key of its own in `headers` logs in where that is wanted; it `needs_login` when nobody was
    there to do that.
    """

    noise = ""

    def __init__(self, definition: ServerDefinition, logins: Logins, callers: Callers) -> None:
        self._definition = definition
        self.gone = asyncio.Event()
        self.trouble = ""
        self.needs_login = self.may_pass = False
        has_key = any(name.lower() == "authorization" for name, _ in definition.headers)
        self._login = None if has_key else ServerLogin(definition, logins, callers)

    @asynccontextmanager
    async def open(self) -> AsyncGenerator[Streams]:
        """Connect for the block; redirects are followed within the same origin alone."""
        definition = self._definition
        if definition.transport == "sse":
            async with sse_client(
                definition.url,
                headers=dict(definition.headers),
                timeout=CONNECT,
                sse_read_timeout=definition.longest,
                httpx_client_factory=self._client,
                auth=self._login,
            ) as (read, write):
                yield read, write
        else:
            timeout = httpx2.Timeout(CONNECT, read=definition.longest)
            async with (
                self._client(dict(definition.headers), timeout, self._login) as client,
                streamable_http_client(
                    definition.url, http_client=client, max_sse_event_size=LONGEST_EVENT
                ) as (read, write),
            ):
                yield read, write

    def _client(
        self,
        headers: dict[str, str] | None = None,
        timeout: httpx2.Timeout | None = None,
        auth: httpx2.Auth | None = None,
    ) -> httpx2.AsyncClient:
        hooks = {"response": [self._look]}
        headers = {"accept-encoding": "identity", **(headers or {})}  # what unfolds has no bound
        return httpx2.AsyncClient(headers=headers, timeout=timeout, auth=auth, event_hooks=hooks)

    async def _look(self, response: httpx2.Response) -> None:
        status = response.status_code
        self._bound(response)
        if response.request.extensions.get(OWN):
            return
        self.may_pass = status in PASSING or status >= BROKEN
        self.needs_login = status == UNAUTHORIZED and self._login is not None
        if self.needs_login:
            self.trouble = LOGIN.format(self._definition.name)
        elif status in REFUSED or status > BAD:
            self.trouble = REFUSED.get(status, f"it answered with HTTP {status}")
        elif status < BAD:
            self.trouble = ""

    def _bound(self, response: httpx2.Response) -> None:
        """Let an answer have so many bytes, however it says that. Of a stream of events each may have them.

        **Raises** `httpx2.RequestError`.
        """
        if response.headers.get("content-encoding", "identity").lower() != "identity":
            raise self._refused(PACKED)
        most = LONGEST_OF_LOGIN if response.request.extensions.get(OWN) else LONGEST_EVENT
        kind = response.headers.get("content-type", "").lower()
        if isinstance(response.stream, httpx2.AsyncByteStream) and not kind.startswith("text/event-stream"):
            response.stream = BoundedBody(response.stream, most, self._refused)

    def _refused(self, why: str) -> httpx2.RequestError:
        self.trouble = why
        return httpx2.RequestError(why)


class BoundedBody(httpx2.AsyncByteStream):
    """Implements `AsyncByteStream` over another one: `refused` makes the error for more bytes than `most`."""

    def __init__(
        self, body: httpx2.AsyncByteStream, most: int, refused: Callable[[str], httpx2.RequestError]
    ) -> None:
        self._body, self._most = body, most
        self._refused = refused

    async def __aiter__(self) -> AsyncIterator[bytes]:
        """Yield its pieces. **Raises** `httpx2.RequestError`."""
        left = self._most
        async for piece in self._body:
            left -= len(piece)
            if left < 0:
                raise self._refused(TOO_LONG.format(self._most))
            yield piece

    async def aclose(self) -> None:
        """Close it."""
        await self._body.aclose()
