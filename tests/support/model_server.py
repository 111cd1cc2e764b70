"""A model server on loopback for tests: real sockets, scripted answers, every request kept.

    async with ModelServer([Reply(calls=[("read_file", {"path": "a"})]), Reply("It says hello.")]) as server:
        ...  # point the client at server.url
    assert server.posts[1].body["messages"][-1]["role"] == "tool"

Replies are given in the order of the requests, or chosen by a function of the request. The server
runs in a thread of its own, so a test may block, and `with` works as well as `async with`. It also
runs alone: `python -m support.model_server --script FILE --port 0` prints its URL and serves.
"""

import argparse
import asyncio
import json
import socket
import ssl
import struct
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Self

from support.model_replies import Answer, Ending, Failure, Raw, Reply, Request, answer_from, page
from support.patience import PATIENCE, become

__all__ = ["Answer", "Failure", "ModelServer", "Raw", "Reply", "Request"]
Choose = Callable[[Request], Answer]
BEGINNING = 5  # turns of the loop until a connection that was just accepted is served, and so is closed
NO_REPLY_LEFT = "the model server has no reply left for this request"
TICK = 0.005  # seconds between two looks at whether the client is still there


class ModelServer:
    """Listens on 127.0.0.1 between `start` and `stop`, or as a context manager, sync or async.

    `replies` answer the POST requests, in order; when there is none left the answer is a 400 that
    says so. `pages` answer GET requests by path; `/v1/models` lists `models` unless it is replaced. With
    `tls` it speaks HTTPS.
    """

    def __init__(
        self,
        replies: Sequence[Answer] | Choose = (),
        *,
        models: Sequence[str] = ("test-model",),
        pages: Mapping[str, Raw] | None = None,
        port: int = 0,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        self._tls = tls
        self.requests: list[Request] = []
        self.connections = 0
        self.port = port
        self._replies: list[Answer] = [] if callable(replies) else list(replies)
        self._choose = replies if callable(replies) else self._next
        listing = page({"object": "list", "data": [{"id": name, "object": "model"} for name in models]})
        self._pages = {"/v1/models": listing, **(pages or {})}
        self._ready = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    @property
    def url(self) -> str:
        """The base URL a client needs: `http://127.0.0.1:PORT/v1`."""
        return f"http{'s' if self._tls else ''}://127.0.0.1:{self.port}/v1"

    @property
    def posts(self) -> list[Request]:
        """The requests for a completion, without the GETs."""
        return [request for request in self.requests if request.method == "POST"]

    def add(self, *replies: Answer) -> None:
        """Give more replies, after the ones already there."""
        self._replies += replies

    def start(self) -> Self:
        """Listen; `port` and `url` are valid when this returns."""
        self._thread = threading.Thread(target=asyncio.run, args=(self._serve(),), daemon=True)
        self._thread.start()
        if not self._ready.wait(PATIENCE):
            raise RuntimeError("the model server did not start")
        return self

    def stop(self) -> None:
        """Stop listening and drop every connection."""
        if self._loop and self._thread:
            self._loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join(5)
            self._loop = self._thread = None

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *error: object) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        return self.start()

    async def __aexit__(self, *error: object) -> None:
        await asyncio.to_thread(self.stop)

    async def closed(self, index: int = -1) -> bool:
        """Wait until the client closed the connection of this request before its answer's end."""
        await become(lambda: self.requests)
        return await asyncio.to_thread(self.requests[index].closed.wait, PATIENCE)

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._connected, "127.0.0.1", self.port, ssl=self._tls)
        self.port = server.sockets[0].getsockname()[1]
        self._ready.set()
        await self._stopping.wait()
        server.close()
        for _ in range(BEGINNING):
            await asyncio.sleep(0)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while request := await _read_request(reader):
                self.requests.append(request)
                try:
                    again = await Answering(request, reader, writer).play(self._answer(request))
                finally:
                    request.over.set()
                if not again:
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass  # the client left, or the server is being stopped
        finally:
            writer.close()

    def _answer(self, request: Request) -> Raw:
        if request.method == "GET":
            return self._pages.get(request.path) or Failure(404, f"no page {request.path}").raw()
        answer = self._choose(request)
        if isinstance(answer, Reply):
            return answer.raw(request, len(self.posts))
        return answer.raw() if isinstance(answer, Failure) else answer

    def _next(self, request: Request) -> Answer:
        return self._replies.pop(0) if self._replies else Failure(400, NO_REPLY_LEFT)


class Answering:
    """Writes one answer to one connection."""

    def __init__(self, request: Request, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._request, self._reader, self._writer = request, reader, writer

    async def play(self, answer: Raw) -> bool:
        """Send it all; whether the connection can be used again."""
        try:
            if not await self._go(answer.begin):
                return False
            self._writer.write(_head(answer))
            for piece in answer.pieces:
                await self._pause(answer.delay)
                self._writer.write(b"%x\r\n%s\r\n" % (len(piece), piece) if piece else b"")
                await self._writer.drain()
            if not await self._go(answer.then):
                return False
            self._writer.write(b"0\r\n\r\n")
            await self._writer.drain()
        except ConnectionError:
            self._request.closed.set()
            raise
        return True

    async def _go(self, ending: Ending) -> bool:
        """Do what the answer does here; whether it goes on."""
        if ending == "reset":
            linger = struct.pack("ii", 1, 0)  # closing sends RST at once
            self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        if ending == "hang":
            await self._pause(float("inf"))
        return ending == "end"

    async def _pause(self, seconds: float) -> None:
        """Wait, and raise `ConnectionError` as soon as the client is gone."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while True:
            if self._reader.at_eof() or self._reader.exception() or self._writer.is_closing():
                raise ConnectionError("the client closed the connection")
            left = until - loop.time()
            if left <= 0:
                return
            await asyncio.sleep(min(left, TICK))


def _head(answer: Raw) -> bytes:
    headers = {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked", **answer.headers}
    lines = [f"HTTP/1.1 {answer.status} Scripted", *(f"{name}: {value}" for name, value in headers.items())]
    return "\r\n".join([*lines, "", ""]).encode()


async def _read_request(reader: asyncio.StreamReader) -> Request | None:
    line = await reader.readline()
    if not line:
        return None
    method, path, _ = line.decode().split(" ", 2)
    headers: dict[str, str] = {}
    while (line := (await reader.readline()).decode().strip()) != "":
        name, _, value = line.partition(":")
        headers[name.strip().lower()] = value.strip()
    content = await reader.readexactly(int(headers.get("content-length", 0)))
    return Request(method, path, headers, content)


def main() -> None:
    """Serve the replies of a JSON file (`{"replies": […]}`) until the process is ended."""
    arguments = argparse.ArgumentParser(description=__doc__)
    arguments.add_argument("--script", type=Path, required=True)
    arguments.add_argument("--port", type=int, default=0)
    options = arguments.parse_args()
    script = json.loads(options.script.read_text(encoding="utf-8"))
    with ModelServer([answer_from(entry) for entry in script["replies"]], port=options.port) as server:
        sys.stdout.write(server.url + "\n")
        sys.stdout.flush()
        threading.Event().wait()


if __name__ == "__main__":
    main()
