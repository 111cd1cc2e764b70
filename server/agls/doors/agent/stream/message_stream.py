"""The messages of a reading thread, for the event loop."""

import asyncio
from contextlib import suppress
from functools import partial
from queue import Empty

from agls.doors.agent.stream.transport import Reader
from agls.doors.messages import JsonObject

BREATH = 64  # messages taken before other work gets its turn


class MessageStream:
    """Returns one message after the other, in order, from the event loop in which it was made."""

    def __init__(self, reader: Reader) -> None:
        self._inbox = reader.inbox
        self._arrived = asyncio.Event()
        self._arrived.set()
        self._taken = 0
        reader.wake(partial(_wake, asyncio.get_running_loop(), self._arrived))

    async def next(self) -> JsonObject | None:
        """Wait for the next message. **Returns** `None` at the end of the stream."""
        self._taken += 1
        if self._taken % BREATH == 0:
            await asyncio.sleep(0)
        while True:
            try:
                return self._inbox.get_nowait()
            except Empty:
                self._arrived.clear()
                await self._arrived.wait()


def _wake(loop: asyncio.AbstractEventLoop, arrived: asyncio.Event) -> None:
    with suppress(RuntimeError):  # the loop is closed: nobody listens any more
        loop.call_soon_threadsafe(arrived.set)
