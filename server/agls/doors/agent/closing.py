"""Sessions that are being closed or deleted: until that is over nobody opens them again."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager


class Closing:
    """The sessions that are being closed, by id."""

    def __init__(self) -> None:
        self._closing: dict[str, asyncio.Future[None]] = {}

    def __contains__(self, session_id: str) -> bool:
        return session_id in self._closing

    async def over(self, session_id: str) -> None:
        """Wait until nobody closes this session (any more): then it can be opened again."""
        while closing := self._closing.get(session_id):
            await asyncio.shield(closing)

    @contextmanager
    def under_way(self, session_id: str) -> Generator[None]:
        """Until the end of the block nobody opens the session again."""
        closing = self._closing[session_id] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._closing[session_id]
            closing.set_result(None)
