"""Errors without the number of their request, given to the only one that is under way.

JSON-RPC has `"id": null` for a request that could not be read; some servers write it with any error. The SDK
passes over those, and the request would end by its limit of time.
"""

import mcp_types as types
from mcp.shared._stream_protocols import WriteStream
from mcp.shared.message import SessionMessage

from agls.json_values import value_in
from agls.mcp_servers.read_stream import OverStream

CANCELLED = "notifications/cancelled"


class OpenRequests:
    """The numbers of the requests that have no answer yet."""

    def __init__(self) -> None:
        self._ids = set[types.RequestId]()

    def sent(self, message: types.JSONRPCMessage) -> None:
        """Note a message to the server."""
        if isinstance(message, types.JSONRPCRequest):
            self._ids.add(message.id)
        elif isinstance(message, types.JSONRPCNotification) and message.method == CANCELLED:
            self._ids.discard(value_in(message.params, "requestId"))

    def came(self, message: types.JSONRPCMessage) -> None:
        """Note a message of the server; an error without a number gets that of the only open request."""
        if isinstance(message, types.JSONRPCError) and message.id is None and len(self._ids) == 1:
            message.id = next(iter(self._ids))
        if isinstance(message, types.JSONRPCResponse | types.JSONRPCError) and message.id is not None:
            self._ids.discard(message.id)


class NotingStream(OverStream[WriteStream[SessionMessage]]):
    """Implements `WriteStream` over another one: what is sent is noted before."""

    def __init__(self, stream: WriteStream[SessionMessage], requests: OpenRequests) -> None:
        super().__init__(stream)
        self._requests = requests

    async def send(self, item: SessionMessage, /) -> None:
        """Send a message."""
        self._requests.sent(item.message)
        await self._stream.send(item)
