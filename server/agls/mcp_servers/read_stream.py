"""A stream of the SDK whose messages somebody sees, or changes, before the SDK reads them."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, Self

from mcp.shared._stream_protocols import ReadStream
from mcp.shared.message import SessionMessage

Incoming = SessionMessage | Exception


class SeenStream(ABC):
    """Implements `ReadStream` over another one: what comes in, as `_seen` returns it."""

    def __init__(self, stream: ReadStream[Incoming]) -> None:
        self._stream = stream

    @abstractmethod
    async def _seen(self, incoming: Incoming) -> Incoming:
        """**Returns** what is read in the place of what came in."""

    @property
    def last_context(self) -> Any:
        """The context that the last message came in, where the transport knows one."""
        return getattr(self._stream, "last_context", None)

    async def receive(self) -> Incoming:
        """**Returns** the next message."""
        return await self._seen(await self._stream.receive())

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

    def __aiter__(self) -> Self:
        """Read all messages."""
        return self

    async def __anext__(self) -> Incoming:
        """**Returns** the next message."""
        return await self._seen(await self._stream.__anext__())

    async def __aenter__(self) -> Self:
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
