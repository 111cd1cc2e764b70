"""The time until the server is loaded: what ends the connection then ends the process, for nothing has begun.

Nothing but the standard library: this runs before anything else is imported.
"""

import os
import signal
import threading
from collections.abc import Sequence
from contextlib import suppress
from types import FrameType

from agls.doors.agent.stream.transport import Reader, Writer
from agls.doors.messages import SERVER_CANCELLED, JsonObject, failure, kind_of

LAST_WORDS = 0.3  # seconds to write what still waits
SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Loading:
    """Ends the process, until it is `over`, when a signal, the client or the end of the stream asks for that.

    Other requests that came before are answered: they were given up.
    """

    def __init__(self, reader: Reader, writer: Writer) -> None:
        self._reader, self._writer = reader, writer
        self._ending = threading.RLock()  # a signal may come while it is held
        self._over = False
        with suppress(ValueError):  # not in the main thread: then whoever called it has the signals
            for number in SIGNALS:
                signal.signal(number, self._on_signal)

    def listen(self) -> None:
        """The client was greeted: from here on see with everything that comes whether it is the end."""
        self._reader.wake(self._look)
        self._look()

    def _on_signal(self, number: int, frame: FrameType | None) -> None:
        self.leave(0)

    def _look(self) -> None:
        code, answers = ending(self._reader.inbox.waiting(), trusted=self._reader.trusted)
        if code is not None:
            self.leave(code, answers)

    def leave(self, code: int, answers: Sequence[JsonObject] = ()) -> None:
        """End the process now, unless the server is loaded."""
        with self._ending:
            if not self._over:
                for answer in answers:
                    self._writer.send(answer)
                self._writer.close(LAST_WORDS)
                os._exit(code)

    def over(self) -> None:
        """The server is loaded: it sees to its end itself."""
        with self._ending:
            self._over = True


def ending(messages: Sequence[JsonObject | None], *, trusted: bool) -> tuple[int | None, list[JsonObject]]:
    """The exit code when there is an end among these, and the answers to the requests before it."""
    answers: list[JsonObject] = []
    shut_down = False
    for message in messages:
        if message is None:
            return 0 if trusted else 1, answers
        if message.get("method") == "exit":
            return 0 if shut_down else 1, answers
        if kind_of(message) == "request":
            answers.append(_answer(message))
            shut_down = shut_down or message["method"] == "shutdown"
    return None, []


def _answer(request: JsonObject) -> JsonObject:
    if request["method"] == "shutdown":
        return {"jsonrpc": "2.0", "id": request["id"], "result": None}
    data = {"kind": "serverCancelled", "retryable": True}
    return failure(request["id"], SERVER_CANCELLED, "The server is shutting down before it was loaded.", data)
