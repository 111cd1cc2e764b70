"""An MCP server at an address, as the SDK talks to it: streamable HTTP, or SSE where that is said."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx2
from mcp.client.sse import sse_client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

from agls.room.mcp_ports import ServerDefinition

LONGEST_EVENT = 16_000_000  # bytes
CONNECT = 30.0  # seconds
REFUSED = {
    401: "it wants a login (HTTP 401): give it a key in `headers`",
    403: "it refused the key (HTTP 403)",
    404: "there is no MCP server at this address (HTTP 404)",
}
BAD = 400  # HTTP statuses from here on
Streams = tuple[ReadStream[SessionMessage | Exception], WriteStream[SessionMessage]]


class AddressedStreams:
    """The connection to an address. `trouble` says what the last refused request was answered with."""

    noise = ""

    def __init__(self, definition: ServerDefinition) -> None:
        self._definition = definition
        self.gone = asyncio.Event()
        self.trouble = ""

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
            ) as (read, write):
                yield read, write
        else:
            timeout = httpx2.Timeout(CONNECT, read=definition.longest)
            async with (
                self._client(dict(definition.headers), timeout) as client,
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
        return httpx2.AsyncClient(headers=headers, timeout=timeout, auth=auth, event_hooks=hooks)

    async def _look(self, response: httpx2.Response) -> None:
        status = response.status_code
        if status in REFUSED or status > BAD:
            self.trouble = REFUSED.get(status, f"it answered with HTTP {status}")
        elif status < BAD:
            self.trouble = ""
        if int(response.headers.get("content-length") or 0) > LONGEST_EVENT:
            raise httpx2.RequestError(f"its answer has more than {LONGEST_EVENT:,} bytes")
