"""Reading and writing in threads of their own, so that the event loop never waits for the other side.

Nothing but the standard library: this runs before anything else is imported (protocol 4.12 and part 6).
"""

import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable
from queue import SimpleQueue

from aglet.doors.lsp.batches import Batch
from aglet.doors.lsp.framing import BODY_LIMIT, Frames, Oversized, Untrusted
from aglet.doors.lsp.messages import (
    INVALID_REQUEST,
    PARSE_ERROR,
    Bad,
    JsonObject,
    encode,
    failure,
    parse,
)

ATOMIC = 4_096  # bytes a pipe that is writable takes without blocking (POSIX: PIPE_BUF on Linux)


class Writer:
    """Sends messages in order, urgent ones first; a thread does what could block.

    A message that meets an idle writer and a pipe with room is written at once. Deltas that meet a
    busy writer are merged. When the other side is gone everything more is thrown away.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._changed = threading.Condition()
        self._urgent: deque[JsonObject] = deque()
        self._queue: deque[JsonObject | Batch] = deque()
        self._weight = 0
        self._busy = False
        self._closing = False
        self.lost = False
        self._thread = threading.Thread(target=self._run, name="aglet-writer", daemon=True)
        self._thread.start()

    @property
    def backlog(self) -> int:
        """The size of the events that wait to be written, in characters, roughly."""
        return self._weight

    def send(self, message: JsonObject, *, urgent: bool = False) -> None:
        """Send a message. An urgent one may overtake what is waiting."""
        with self._changed:
            if self._idle() and self._write_now(encode(message)):
                return
            (self._urgent if urgent else self._queue).append(message)
            self._changed.notify()

    def send_events(self, events: list[JsonObject]) -> None:
        """Send events that belong together, in one `agent/event` with others that are waiting."""
        with self._changed:
            last = self._queue[-1] if self._queue else None
            if isinstance(last, Batch):
                before = last.weight
                taken = last.take(events)
                self._weight += last.weight - before
                if taken:
                    return
            batch = Batch(events)
            if self._idle() and self._write_now(encode(batch.message())):
                return
            self._queue.append(batch)
            self._weight += batch.weight
            self._changed.notify()

    def close(self, timeout: float) -> None:
        """Write what is waiting, for `timeout` seconds at most."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout)

    def _idle(self) -> bool:
        return not (self._busy or self._urgent or self._queue or self.lost or self._closing)

    def _write_now(self, frame: bytes) -> bool:
        if len(frame) > ATOMIC or not self._poll.poll(0):
            return False
        self._write(frame)
        return True

    def _run(self) -> None:
        while (message := self._next()) is not None:
            self._write(encode(message.message() if isinstance(message, Batch) else message))

    def _next(self) -> JsonObject | Batch | None:
        with self._changed:
            self._busy = False
            while not (self._urgent or self._queue):
                if self._closing:
                    return None
                self._changed.wait()
            self._busy = True
            if self._urgent:
                return self._urgent.popleft()
            message = self._queue.popleft()
            self._weight -= message.weight if isinstance(message, Batch) else 0
            return message

    def _write(self, frame: bytes) -> None:
        view = memoryview(frame)
        while view and not self.lost:
            try:
                view = view[os.write(self._descriptor, view) :]
            except OSError:  # nobody reads any more; the watchdog ends the process
                self.lost = True


class Reader:
    """Reads messages into an inbox. What is no message is answered here; the stream goes on if it can.

    The inbox ends with `None`; then `trusted` says whether the stream ended or had to be given up.
    """

    def __init__(self, descriptor: int, writer: Writer) -> None:
        self.inbox: SimpleQueue[JsonObject | None] = SimpleQueue()
        self.trusted = True
        self._frames = Frames(descriptor)
        self._writer = writer
        self._wake: Callable[[], None] = _nobody
        self._thread = threading.Thread(target=self._run, name="aglet-reader", daemon=True)
        self._thread.start()

    def wake(self, waker: Callable[[], None]) -> None:
        """Call `waker` from the reading thread whenever something was put into the inbox."""
        self._wake = waker

    def end(self) -> None:
        """End the inbox from here, whatever the stream does."""
        self._deliver(None)

    def _run(self) -> None:
        while (message := self._next()) is not None:
            self._deliver(message)
        self.end()

    def _deliver(self, message: JsonObject | None) -> None:
        self.inbox.put(message)
        self._wake()

    def _next(self) -> JsonObject | None:
        while True:
            try:
                frame = self._frames.next()
                if frame is None:
                    return None
                if isinstance(frame, Oversized):
                    raise too_large(frame.length)
                return parse(frame)
            except Bad as bad:
                self._writer.send(bad.reply(), urgent=True)
            except (Untrusted, OSError) as problem:
                self.trusted = False
                self._writer.send(failure(None, PARSE_ERROR, f"{problem}.", {}), urgent=True)
                sys.stderr.write(f"aglet: the connection is given up: {problem}\n")
                return None


def too_large(length: int) -> Bad:
    """The answer to a frame over the limit."""
    data = {"kind": "limitExceeded", "limit": BODY_LIMIT, "length": length}
    return Bad(INVALID_REQUEST, f"A message may have {BODY_LIMIT} bytes, not {length}.", **data)


def _nobody() -> None:
    """Nobody listens yet; the inbox keeps everything."""
