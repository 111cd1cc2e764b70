"""Reading and writing in threads of their own, so that the event loop never waits for the other side.

Nothing but the standard library: this runs before anything else is imported (protocol#flow).
"""

import fcntl
import os
import select
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from termios import FIONREAD

from agls.doors.agent.flow.batches import Batch, Piece
from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.stream.framing import BODY_LIMIT, Frames, Oversized, Untrusted
from agls.doors.agent.stream.inbox import Inbox
from agls.doors.agent.stream.tap import NO_TAP, Tap
from agls.doors.agent.stream.unread import unread
from agls.doors.messages import INVALID_REQUEST, PARSE_ERROR, Bad, JsonObject, encode, failure, parse

ATOMIC = 4_096  # bytes a pipe that is writable takes without blocking (POSIX: PIPE_BUF on Linux)
STEP = 65_536  # bytes written at once; after each of them it counts that somebody reads
LOOK = 0.05  # seconds between two looks whether somebody reads answers again


class Writer:
    """Sends messages in order, urgent ones first; a thread does what could block.

    A message that meets an idle writer and a pipe with room is written at once. Events that meet an
    idle writer wait for `flush`, which the caller owes; those that meet a busy one are merged. When the
    other side is gone everything more is thrown away.
    """

    def __init__(self, descriptor: int, tap: Tap = NO_TAP) -> None:
        self._descriptor = descriptor
        self._tap = tap
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLOUT)
        self._room = _room_of(descriptor)
        self._changed = threading.Condition()
        self._urgent: deque[bytes] = deque()
        self._queue: deque[bytes | Batch] = deque()
        self._events = self._others = 0  # bytes that wait
        self._busy = False
        self._closing = False
        self._moved = 0.0  # when a byte was taken by the other side, or the first began to wait
        self.lost = False
        self._thread = threading.Thread(target=self._run, name="agls-writer", daemon=True)
        self._thread.start()

    @property
    def backlog(self) -> int:
        """The size of the events that wait to be written, in bytes, roughly."""
        return self._events

    @property
    def others(self) -> int:
        """The size of all else that waits to be written, in bytes."""
        return self._others

    def stalled(self) -> float:
        """Return for how many seconds nobody has read although something waits."""
        with self._changed:
            waits = self._busy or self._urgent or self._queue
            return time.monotonic() - self._moved if waits else 0.0

    def send(self, message: JsonObject, *, urgent: bool = False) -> None:
        """Send a message. An urgent one may overtake what is waiting."""
        frame = encode(message)
        with self._changed:
            self._write_batch()
            if self._idle() and self._write_now(frame):
                return
            self._begin_waiting()
            (self._urgent if urgent else self._queue).append(frame)
            self._others += len(frame)
            self._changed.notify()

    def put(self, pieces: Sequence[Piece]) -> bool:
        """Send events that belong together, in one `agent/event` with others; whether `flush` must follow."""
        with self._changed:
            last = self._queue[-1] if self._queue else None
            if isinstance(last, Batch):
                before = last.weight
                taken = last.take(pieces)
                self._events += last.weight - before
                if taken:
                    return False
            first = self._idle()
            self._begin_waiting()
            batch = Batch(pieces)
            self._queue.append(batch)
            self._events += batch.weight
            if not first:
                self._changed.notify()
            return first

    def flush(self) -> None:
        """Write the events that met an idle writer."""
        with self._changed:
            self._write_batch()
            if self._queue:
                self._changed.notify()

    def close(self, timeout: float) -> None:
        """Write what is waiting, for `timeout` seconds at most."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        self._thread.join(timeout)
        self._tap.close()

    def _idle(self) -> bool:
        return not (self._busy or self._urgent or self._queue or self.lost or self._closing)

    def _begin_waiting(self) -> None:
        if not (self._busy or self._urgent or self._queue):
            self._moved = time.monotonic()

    def _write_batch(self) -> None:
        """Write a batch that is alone, if the pipe takes it at once."""
        if self._busy or self._urgent or len(self._queue) != 1 or self.lost:
            return
        batch = self._queue[0]
        if isinstance(batch, Batch) and batch.weight <= ATOMIC and self._write_now(batch.frame()):
            self._queue.popleft()
            self._events -= batch.weight

    def _write_now(self, frame: bytes) -> bool:
        if not self._poll.poll(0) or (len(frame) > ATOMIC and not self._is_empty(len(frame))):
            return False
        self._write(frame)
        return True

    def _is_empty(self, size: int) -> bool:
        """Return whether so many bytes are taken without blocking, because nothing is in the pipe."""
        if size > self._room:
            return False
        return not any(fcntl.ioctl(self._descriptor, FIONREAD, bytes(4)))

    def _run(self) -> None:
        while (message := self._next()) is not None:
            self._write(message.frame() if isinstance(message, Batch) else message)

    def _next(self) -> bytes | Batch | None:
        with self._changed:
            self._busy = False
            while not (self._urgent or self._queue):
                if self._closing:
                    return None
                self._changed.wait()
            self._busy = True
            message = self._urgent.popleft() if self._urgent else self._queue.popleft()
            if isinstance(message, Batch):
                self._events -= message.weight
            else:
                self._others -= len(message)
            return message

    def _write(self, frame: bytes) -> None:
        self._tap.sent(frame)
        view = memoryview(frame)
        while view and not self.lost:
            try:
                view = view[os.write(self._descriptor, view[:STEP]) :]
            except OSError:  # nobody reads any more; the watchdog ends the process
                self.lost = True
            self._moved = time.monotonic()


class Reader:
    """Reads messages into an inbox. What is no message is answered here; the stream goes on if it can.

    The inbox ends with `None`; then `trusted` says whether the stream ended or had to be given up.
    Nothing more is read while the inbox is full, or while too many answers wait for the other side.
    """

    def __init__(self, descriptor: int, writer: Writer, limits: ConnectionLimits, tap: Tap = NO_TAP) -> None:
        self.inbox = Inbox(limits.inbox)
        self.trusted = True
        self._frames = Frames(descriptor)
        self.tap = tap
        self._ends = select.poll()
        self._ends.register(descriptor, 0)  # hang-ups are always reported
        self._writer, self._answers = writer, limits.answers
        self._pause = threading.Event()  # nobody sets it
        self._wake: Callable[[], None] = _nobody
        self._thread = threading.Thread(target=self._run, name="agls-reader", daemon=True)
        self._thread.start()

    def wake(self, waker: Callable[[], None]) -> None:
        """Call `waker` from the reading thread whenever something was put into the inbox."""
        self._wake = waker

    def end(self) -> None:
        """End the inbox from here, whatever the stream does."""
        self.inbox.end()
        self._wake()

    def _run(self) -> None:
        try:
            while (read := self._next()) is not None:
                self.inbox.put(*read)
                self._wake()
        finally:  # also after a bug here: who hears nothing any more must not go on
            self.end()

    def _next(self) -> tuple[JsonObject, int] | None:
        """Return the next message and its size; `None` at the end, or when the stream cannot be followed."""
        while True:
            self._let_answers_go()
            try:
                frame = self._frames.next()
            except (Untrusted, OSError) as problem:
                self.trusted = False
                self._writer.send(failure(None, PARSE_ERROR, f"{problem}.", {}), urgent=True)
                sys.stderr.write(f"agls: the connection is given up: {problem}\n")
                return None
            if frame is None:
                return None
            try:
                self.tap.received(frame.ends if isinstance(frame, Oversized) else frame)
                if isinstance(frame, Oversized):
                    raise too_large(frame.length)
                return parse(frame), len(frame)
            except Bad as bad:
                self._writer.send(bad.reply(), urgent=True)
                if missed := unread(frame.ends if isinstance(frame, Oversized) else frame):
                    return missed, 0

    def _let_answers_go(self) -> None:
        """Wait while nobody reads the answers, unless nobody is left to write requests."""
        while self._writer.others > self._answers and not (self._writer.lost or self._ends.poll(0)):
            self._pause.wait(LOOK)


def too_large(length: int) -> Bad:
    """Return the answer to a frame over the limit."""
    data = {"kind": "limitExceeded", "limit": BODY_LIMIT, "length": length}
    return Bad(INVALID_REQUEST, f"A message may have {BODY_LIMIT} bytes, not {length}.", **data)


def _room_of(descriptor: int) -> int:
    """Return how many bytes a pipe holds; 0 for what is none."""
    try:
        return fcntl.fcntl(descriptor, fcntl.F_GETPIPE_SZ)
    except (OSError, AttributeError):  # a socket, or not Linux
        return 0


def _nobody() -> None:
    """Nobody listens yet; the inbox keeps everything."""
