"""The client that drives every server: frames over standard input and output, each with the time it came."""

import json
import os
import re
import select
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

JsonObject = dict[str, Any]
PATIENCE = 120.0  # seconds until a measurement is given up
STAMP = re.compile(r"@(\d+):(\d+);")
LONGEST = 40  # characters of a stamp that was cut in two
EVENTS = b'"agent/event"'


class Broken(Exception):
    """Raised when the server did not do what is measured; the message says what came instead."""


class Frame(NamedTuple):
    """A message as it came, and when (monotonic nanoseconds)."""

    at: int
    body: bytes


class Stamped(NamedTuple):
    """A chunk of the model: its number, when it was sent and when it came (monotonic nanoseconds)."""

    number: int
    sent: int
    came: int


class Client:
    """A server process and its client. Events are only kept while they come, and read afterwards."""

    def __init__(
        self, command: Sequence[str], environment: Mapping[str, str], folder: Path, log: Path
    ) -> None:
        self.events: list[Frame] = []
        self._answers: dict[int, tuple[int, JsonObject]] = {}  # when, and the response
        self._ids = 0
        self._buffer = b""
        self.spawned = time.monotonic_ns()
        with log.open("ab") as errors:
            self._process = subprocess.Popen(
                command,
                env=environment,
                cwd=folder,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                bufsize=0,
            )
        self._log = log
        assert self._process.stdin
        assert self._process.stdout
        self._input, self._output = self._process.stdin.fileno(), self._process.stdout.fileno()

    @property
    def process_id(self) -> int:
        """The id of the server's process."""
        return self._process.pid

    # --- talking ---

    def post(self, method: str, params: JsonObject) -> int:
        """Send a request. Returns its id."""
        self._ids += 1
        self._write({"id": self._ids, "method": method, "params": params})
        return self._ids

    def notify(self, method: str, params: JsonObject) -> None:
        """Send a notification."""
        self._write({"method": method, "params": params})

    def answer(self, id: int) -> tuple[int, Any]:
        """Wait for the answer to a request. Returns when it came, and the result. Raises `Broken`."""
        self.until(lambda: id in self._answers, "an answer")
        at, response = self._answers.pop(id)
        if "result" not in response:
            raise Broken(f"the server refused: {response}")
        return at, response["result"]

    def ask(self, method: str, params: JsonObject) -> tuple[int, Any]:
        """Send a request and wait for its answer. Returns as `answer`. Raises `Broken`."""
        return self.answer(self.post(method, params))

    def until(self, reached: Callable[[], object], what: str) -> None:
        """Read until the condition holds. Raises `Broken`."""
        deadline = time.monotonic() + PATIENCE
        while not reached():
            left = deadline - time.monotonic()
            if left < 0 or not self._read(left):
                raise Broken(f"{what} did not come; standard error: {self._log.read_text()[-2000:]}")

    def idle(self, seconds: float) -> None:
        """Read for a while."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self._output], [], [], left)[0]:
                self._read(0)

    def close(self) -> None:
        """End the server."""
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.close()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(5)
        self._process.kill()
        self._process.wait()
        self._process.stdout.close()

    def _write(self, message: JsonObject) -> None:
        body = json.dumps({"jsonrpc": "2.0", **message}).encode()
        frame = b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
        while frame:
            frame = frame[os.write(self._input, frame) :]

    def _read(self, seconds: float) -> bool:
        """Read what is there within this time. Returns False when nothing came, or the server ended."""
        if not select.select([self._output], [], [], seconds)[0]:
            return False
        data = os.read(self._output, 1 << 18)
        at = time.monotonic_ns()
        buffer, start = self._buffer + data, 0
        while (end := buffer.find(b"\r\n\r\n", start)) >= 0:
            stop = end + 4 + int(buffer[buffer.rindex(b":", start, end) + 1 : end])
            if len(buffer) < stop:
                break
            self._take(Frame(at, buffer[end + 4 : stop]))
            start = stop
        self._buffer = buffer[start:]
        return bool(data)

    def _take(self, frame: Frame) -> None:
        if EVENTS in frame.body[:80]:
            self.events.append(frame)
            return
        message = json.loads(frame.body)
        if "method" not in message:
            self._answers[message["id"]] = frame.at, message
        elif "id" in message:
            raise Broken(f"the server asks, and nothing here needs an answer: {frame.body[:500]!r}")

    # --- reading what came ---

    def forget(self) -> None:
        """Begin a new measurement."""
        self.events = []

    def stamps(self) -> dict[str, list[Stamped]]:
        """Return by session the chunks that were shown, in the order in which they came."""
        found: dict[str, list[Stamped]] = {}
        rests: dict[str, str] = {}
        for frame in self.events:
            for event in json.loads(frame.body)["params"]["events"]:
                if event["type"] == "itemDelta":
                    session: str = event["sessionId"]
                    text = rests.get(session, "") + event["data"]["append"]
                    end = 0
                    for stamp in STAMP.finditer(text):
                        end = stamp.end()
                        found.setdefault(session, []).append(Stamped(int(stamp[1]), int(stamp[2]), frame.at))
                    rests[session] = text[max(end, len(text) - LONGEST) :]
        return found
