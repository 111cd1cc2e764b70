"""Which requests the client itself cancelled, seen as its messages come in.

The SDK ends the handler of a request in the same way whether its client cancels it or goes away.
"""

from types import TracebackType
from typing import Any

from mcp.shared._stream_protocols import ReadStream
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, RequestId

MOST = 1_000  # that are remembered: a client may cancel what is no request
Incoming = SessionMessage | Exception


class CancelNotices:
    """Implements `ReadStream`: what comes in, unchanged. `cancelled` are the requests it took back."""

    def __init__(self, stream: ReadStream[Incoming]) -> None:
        self._stream = stream
        self._cancelled: dict[RequestId, None] = {}

    def take(self, request_id: RequestId | None) -> bool:
        """**Returns** whether the client cancelled this request; it is asked once."""
        return request_id is not None and self._cancelled.pop(request_id, self) is None

    def _noted(self, incoming: Incoming) -> Incoming:
        message = incoming.message if isinstance(incoming, SessionMessage) else None
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            request_id = cancelled_request_id_from_params(message.params)
            if request_id is not None and len(self._cancelled) < MOST:
                self._cancelled[request_id] = None
        return incoming

    @property
    def last_context(self) -> Any:
        """The context that the last message came in, where the transport knows one."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Incoming:
        """**Returns** the next message."""
        return self._noted(await self._stream.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    def __aiter__(self) -> "CancelNotices":
        """Read all messages."""
        return self

    async def __anext__(self) -> Incoming:
        """**Returns** the next message."""
        return self._noted(await self._stream.__anext__())

    async def __aenter__(self) -> "CancelNotices":
        """Open the stream."""
        await self._stream.__aenter__()
        return self

    async def __aexit__(
        self,
        exc_type: type[BaseException] | None,
        exc_val: BaseException | None,
        exc_tb: TracebackType | None,
    ) -> bool | None:
        """Close the stream."""
        return await self._stream.__aexit__(exc_type, exc_val, exc_tb)
