"""Streams of the SDK over other ones, whose messages somebody sees, or changes, before the SDK reads them."""

from abc import ABC, abstractmethod
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from mcp.shared._stream_protocols import ReadStream, WriteStream
from mcp.shared.message import SessionMessage

Incoming = SessionMessage | Exception


Inner = TypeVar("Inner", ReadStream[Incoming], WriteStream[SessionMessage])


class OverStream(Generic[Inner]):
    """A stream over another one, with which it is opened and closed."""

    def __init__(self, stream: Inner) -> None:
        self._stream = stream

    async def aclose(self) -> None:
        """Close the stream."""
        await self._stream.aclose()

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


class SeenStream(OverStream[ReadStream[Incoming]], ABC):
    """Implements `ReadStream` over another one: what comes in, as `_seen` returns it."""

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

    def __aiter__(self) -> Self:
        """Read all messages."""
        return self

    async def __anext__(self) -> Incoming:
        """**Returns** the next message."""
        return await self._seen(await self._stream.__anext__())
