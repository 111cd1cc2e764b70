"""A model server on loopback for measurements: it answers what the prompt says and stamps what it sends.

A prompt ends with `BENCH {...}`, a JSON object whose `do` is one of

    hello    three chunks, after `think` seconds
    stream   `count` chunks, `pause` seconds apart (0: as fast as they are taken, 16 to a write)
    tools    `count` calls of read_file on files of `folder`, one a turn, then a word
    slow     a chunk every 20 ms until the other side hangs up

Every chunk begins with `@NUMBER:NANOSECONDS;`, the monotonic clock of the machine just before it was sent.
`GET /log` gives what was asked and when (nanoseconds), of what is over, and forgets that. Blocking sockets in
threads: an event loop cannot pace to the tenth of a millisecond.
"""

import json
import select
import socket
import sys
import threading
import time
from typing import Any

JsonObject = dict[str, Any]
MARK = "BENCH "
PADDING = "lorem ipsum "  # what a chunk carries beside its stamp
TOGETHER = 16  # chunks in one write when there is no pause
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
FILES = 200  # as many are in the workspace

_log: list[JsonObject] = []
_lock = threading.Lock()


class Gone(Exception):
    """The other side closed the connection."""


class Answering:
    """One answer on one connection. `entry` is its line in the log."""

    def __init__(self, connection: socket.socket, body: JsonObject, entry: JsonObject) -> None:
        self._connection, self._body, self._entry = connection, body, entry
        self._sent = 0  # chunks
        self._task, self._results = _task_of(body["messages"])
        entry.update(tag=self._task.get("tag", ""), do=self._task["do"], messages=len(body["messages"]))

    def play(self) -> None:
        """Send it all. Raises `Gone`."""
        match self._task["do"]:
            case "stream":
                self._stream(self._task["count"], self._task.get("pause", 0))
            case "slow":
                self._slow()
            case "tools" if self._results < self._task["count"]:
                self._call()
                return
            case _:
                self._wait(time.monotonic() + self._task.get("think", 0))
                self._begin()
                self._write(*(self._chunk() for _ in range(3)))
        self._end("stop")

    def _begin(self) -> None:
        self._connection.sendall(HEAD)
        self._write(self._event({"role": "assistant", "content": ""}))

    def _stream(self, count: int, pause: float) -> None:
        self._begin()
        if not pause:
            while self._sent < count:
                self._write(*(self._chunk() for _ in range(min(TOGETHER, count - self._sent))))
            return
        start = time.monotonic()
        while self._sent < count:
            self._wait(start + self._sent * pause)
            self._write(self._chunk())

    def _slow(self) -> None:
        self._begin()
        while True:
            self._write(self._chunk())
            self._wait(time.monotonic() + 0.02)

    def _call(self) -> None:
        path = f"{self._task['folder']}/data/f{self._results % FILES:03}.txt"
        arguments = json.dumps({"path": path})
        half = len(arguments) // 2
        call = {"index": 0, "id": f"call_{self._task.get('tag', '')}_{self._results}", "type": "function"}
        self._connection.sendall(HEAD)
        pieces: list[JsonObject] = [
            {**call, "function": {"name": "read_file", "arguments": ""}},
            {"index": 0, "function": {"arguments": arguments[:half]}},
            {"index": 0, "function": {"arguments": arguments[half:]}},
        ]
        self._write(*(self._event({"tool_calls": [piece]}) for piece in pieces))
        self._end("tool_calls")

    def _end(self, finish: str) -> None:
        usage = {"prompt_tokens": 100, "completion_tokens": self._sent, "total_tokens": 100 + self._sent}
        self._write(self._event({}, finish), self._event(None, usage=usage), b"data: [DONE]\n\n")
        self._connection.sendall(b"0\r\n\r\n")
        self._entry["ended"] = time.monotonic_ns()

    def _chunk(self) -> bytes:
        text = f"@{self._sent}:{time.monotonic_ns()};{PADDING}"
        self._sent += 1
        return self._event({"content": text})

    def _event(self, delta: JsonObject | None, finish: str | None = None, usage: object = None) -> bytes:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}] if delta is not None else []
        whole = {"id": "c1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "mock"}
        event = {**whole, "choices": choices, **({"usage": usage} if usage else {})}
        return b"data: %b\n\n" % json.dumps(event, separators=(",", ":")).encode()

    def _write(self, *events: bytes) -> None:
        data = b"".join(events)
        self._connection.sendall(b"%x\r\n%b\r\n" % (len(data), data))

    def _wait(self, until: float) -> None:
        """Wait, and see at once when the other side hangs up. Raises `Gone`."""
        while (left := until - time.monotonic()) > 0:
            readable, _, _ = select.select([self._connection], [], [], left)
            if readable and not self._connection.recv(1, socket.MSG_PEEK):
                raise Gone


def _task_of(messages: list[JsonObject]) -> tuple[JsonObject, int]:
    """What the newest prompt says, and how many tool results came after it."""
    results = 0
    for message in reversed(messages):
        results += message["role"] == "tool"
        content = message.get("content") or ""
        text = content if isinstance(content, str) else "\n".join(part.get("text", "") for part in content)
        if message["role"] == "user" and MARK in text:
            task, _ = json.JSONDecoder().raw_decode(text[text.rindex(MARK) + len(MARK) :])
            return task, results
    return {"do": "hello"}, results


def _serve(connection: socket.socket) -> None:
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    entry: JsonObject = {}
    try:
        while (asked := _request(connection)) is not None:
            line, content, received = asked
            if line.startswith("GET"):
                _give(connection, line)
                continue
            entry = {"received": received, "bytes": len(content)}
            with _lock:
                _log.append(entry)
            Answering(connection, json.loads(content), entry).play()
    except (Gone, ConnectionError):
        entry["closed"] = time.monotonic_ns()
    finally:
        connection.close()


def _request(connection: socket.socket) -> tuple[str, bytes, int] | None:
    data = b""
    while b"\r\n\r\n" not in data:
        if not (more := connection.recv(65_536)):
            return None
        data += more
    head, _, content = data.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    parts = [content]
    missing = int(headers.get("content-length", "0")) - len(content)
    while missing > 0:
        parts.append(connection.recv(min(missing, 1 << 20)))
        missing -= len(parts[-1])
    return lines[0], b"".join(parts), time.monotonic_ns()


def _give(connection: socket.socket, line: str) -> None:
    """The log of what is over, and how much is not; for everything else the list of models."""
    page: JsonObject = {"object": "list", "data": [{"id": "mock", "object": "model"}]}
    if line.split()[1] == "/log":
        with _lock:
            over = [entry for entry in _log if "ended" in entry or "closed" in entry]
            _log[:] = [entry for entry in _log if entry not in over]
            page = {"over": over, "open": len(_log)}
    body = json.dumps(page).encode()
    head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
    connection.sendall(f"{head}{len(body)}\r\n\r\n".encode() + body)


def main() -> None:
    """Listen on a free port of loopback, print it, and serve until the standard input ends."""
    listener = socket.create_server(("127.0.0.1", 0))
    sys.stdout.write(f"{listener.getsockname()[1]}\n")
    sys.stdout.flush()

    def accept() -> None:
        while True:
            threading.Thread(target=_serve, args=(listener.accept()[0],), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


if __name__ == "__main__":
    main()
