"""A model server on loopback for measurements: it answers what the prompt says and stamps what it sends.

A prompt ends with `BENCH {...}`, a JSON object whose `do` is one of

    hello    three chunks at once, each in a write of its own
    stream   `count` chunks, `pause` seconds apart (0: as fast as they are taken, 16 to a write)
    tools    `count` calls of read_file on files of `folder`, or of the tool `call` with its arguments, where
             `numbered` is another number each time; `per` (1) in each answer, then three chunks
    slow     a chunk every 20 ms until the other side hangs up

Every event is an HTTP chunk of its own, as most servers send them; with `join` those of a write are one.
Every text begins with `@NUMBER:NANOSECONDS;`, the monotonic clock of the machine just before it is sent.
`GET /log` returns what was asked and when (nanoseconds), of what is over, and forgets that. Blocking sockets
in threads: an event loop cannot pace to the tenth of a millisecond.
"""

import itertools
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
TOGETHER = 16  # events in one write when there is no pause
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
FILES = 200  # as many are in the workspace

_log: list[JsonObject] = []
_lock = threading.Lock()
_ids = itertools.count()


def _event(delta: JsonObject | None, finish: str | None = None, usage: object = None) -> bytes:
    choices = [{"index": 0, "delta": delta, "finish_reason": finish}] if delta is not None else []
    whole = {"id": "c1", "object": "chat.completion.chunk", "created": 1_700_000_000, "model": "mock"}
    event = {**whole, "choices": choices, **({"usage": usage} if usage else {})}
    return b"data: %b\n\n" % json.dumps(event, separators=(",", ":")).encode()


TEXT = _event({"content": f"|{PADDING}"}).split(b"|")  # what stands before and after a stamp


class Gone(Exception):
    """The other side closed the connection."""


class Answering:
    """One answer on one connection. `entry` is its line in the log."""

    def __init__(self, connection: socket.socket, body: JsonObject, entry: JsonObject) -> None:
        self._connection = connection
        self._body, self._entry = body, entry
        self._sent = 0  # chunks
        self._task, self._results = _task_of(body["messages"])
        self._join = bool(self._task.get("join"))
        last = body["messages"][-1]
        result = last["content"] if last["role"] == "tool" else ""
        entry.update(do=self._task["do"], messages=len(body["messages"]), result=str(result)[-200:])

    def play(self) -> None:
        """Send the whole answer. Raises `Gone`."""
        match self._task["do"]:
            case "stream":
                self._stream(self._task["count"], self._task.get("pause", 0))
            case "slow":
                self._slow()
            case "tools" if self._results < self._task["count"]:
                self._call()
                return
            case _:
                self._begin()
                for _ in range(3):
                    self._write(self._chunk())
        self._end("stop")

    def _begin(self) -> None:
        self._connection.sendall(HEAD)
        self._write(_event({"role": "assistant", "content": ""}))

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
        self._connection.sendall(HEAD)
        missing = self._task["count"] - self._results
        calls = range(min(self._task.get("per", 1), missing))
        self._write(*(piece for index in calls for piece in self._pieces(index)))
        self._end("tool_calls")

    def _pieces(self, index: int) -> list[bytes]:
        """Return the events of one call: its name, and its arguments in two halves."""
        number = self._results + index
        call: JsonObject = self._task.get("call") or {
            "name": "read_file",
            "arguments": {"path": f"{self._task['folder']}/data/f{number % FILES:03}.txt"},
        }
        numbered: JsonObject = {call["numbered"]: number + 1} if "numbered" in call else {}
        arguments = json.dumps({**call["arguments"], **numbered})
        half = len(arguments) // 2
        begun = {"index": index, "id": f"call_{next(_ids)}", "type": "function"}
        pieces: list[JsonObject] = [
            {**begun, "function": {"name": call["name"], "arguments": ""}},
            {"index": index, "function": {"arguments": arguments[:half]}},
            {"index": index, "function": {"arguments": arguments[half:]}},
        ]
        return [_event({"tool_calls": [piece]}) for piece in pieces]

    def _end(self, finish: str) -> None:
        usage = {"prompt_tokens": 100, "completion_tokens": self._sent, "total_tokens": 100 + self._sent}
        self._write(_event({}, finish), _event(None, usage=usage), b"data: [DONE]\n\n", last=b"0\r\n\r\n")
        self._entry["ended"] = time.monotonic_ns()

    def _chunk(self) -> bytes:
        stamp = b"@%d:%d;" % (self._sent, time.monotonic_ns())
        self._sent += 1
        return stamp.join(TEXT)

    def _write(self, *events: bytes, last: bytes = b"") -> None:
        chunks = [b"".join(events)] if self._join else events
        self._connection.sendall(b"".join(b"%x\r\n%b\r\n" % (len(chunk), chunk) for chunk in chunks) + last)

    def _wait(self, until: float) -> None:
        """Wait, and notice at once when the other side hangs up. Raises `Gone`."""
        while (left := until - time.monotonic()) > 0:
            readable, _, _ = select.select([self._connection], [], [], left)
            if readable and not self._connection.recv(1, socket.MSG_PEEK):
                raise Gone


def _task_of(messages: list[JsonObject]) -> tuple[JsonObject, int]:
    """Return what the newest prompt asks for, and the number of tool results after it."""
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
                _send_page(connection, line)
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


def _send_page(connection: socket.socket, line: str) -> None:
    """Send the log of what is over and the number of open requests; for other paths the list of models."""
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
