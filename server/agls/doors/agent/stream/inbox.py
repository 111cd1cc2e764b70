"""Messages that were read and not looked at yet: in order, and no more than a certain size of them."""

import threading
from collections import deque
from queue import Empty

from agls.doors.messages import JsonObject


class Inbox:
    """Between the thread that reads and the one that follows. It ends with `None`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._changed = threading.Condition()
        self._messages: deque[tuple[JsonObject | None, int]] = deque()
        self._size = 0
        self._ended = False

    def put(self, message: JsonObject, size: int) -> None:
        """Put in a message that was `size` bytes; waits while too much is in here."""
        with self._changed:
            self._changed.wait_for(lambda: self._size < self._limit or self._ended)
            self._messages.append((message, size))
            self._size += size
            self._changed.notify_all()

    def end(self) -> None:
        """End the messages; never waits."""
        with self._changed:
            self._ended = True
            self._messages.append((None, 0))
            self._changed.notify_all()

    def get(self) -> JsonObject | None:
        """Wait for the next message. **Returns** `None` at the end."""
        with self._changed:
            self._changed.wait_for(lambda: bool(self._messages))
            return self._take()

    def get_nowait(self) -> JsonObject | None:
        """Return the next message. **Raises** `Empty` when there is none."""
        with self._changed:
            if not self._messages:
                raise Empty
            return self._take()

    def waiting(self) -> list[JsonObject | None]:
        """What is in here, in order."""
        with self._changed:
            return [message for message, _ in self._messages]

    def _take(self) -> JsonObject | None:
        message, size = self._messages.popleft()
        full = self._size >= self._limit
        self._size -= size
        if full:
            self._changed.notify_all()
        return message
