"""Which requests the client itself cancelled, seen as its messages come in.

The SDK ends the handler of a request in the same way whether its client cancels it or goes away.
"""

from mcp.shared._stream_protocols import ReadStream
from mcp.shared.jsonrpc_dispatcher import cancelled_request_id_from_params
from mcp.shared.message import SessionMessage
from mcp_types import JSONRPCNotification, RequestId

from agls.mcp_servers.read_stream import Incoming, SeenStream

MOST = 1_000  # that are remembered: a client may cancel what is no request


class CancelNotices(SeenStream):
    """What comes in, unchanged. `cancelled` are the requests it took back."""

    def __init__(self, stream: ReadStream[Incoming]) -> None:
        super().__init__(stream)
        self._cancelled: dict[RequestId, None] = {}

    def take(self, request_id: RequestId | None) -> bool:
        """**Returns** whether the client cancelled this request; it is asked once."""
        return request_id is not None and self._cancelled.pop(request_id, self) is None

    async def _seen(self, incoming: Incoming) -> Incoming:
        message = incoming.message if isinstance(incoming, SessionMessage) else None
        if isinstance(message, JSONRPCNotification) and message.method == "notifications/cancelled":
            request_id = cancelled_request_id_from_params(message.params)
            if request_id is not None and len(self._cancelled) < MOST:
                self._cancelled[request_id] = None
        return incoming
