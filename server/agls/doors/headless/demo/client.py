"""A very small editor: starts the server and talks JSON-RPC to it over its standard streams."""

import json
import subprocess  # noqa: TID251 - this is the other side: an editor starts the server as a process
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import IO, Any, Self

from agls.engine.vocabulary import JsonObject

Handler = Callable[[JsonObject], Any]
LONGEST_END = 10.0  # seconds the server gets to end by itself


class ServerError(Exception):
    """The server answered with an error, or went away."""


class DemoClient:
    """A connection to `agls serve --stdio` (Content-Length framing, LSP 3.17 base protocol).

    `handlers` take the server's notifications and requests by method; the value that a handler of a request
    returns is its result.
    """

    def __init__(self, environment: Mapping[str, str], cwd: str, handlers: Mapping[str, Handler]) -> None:
        self._handlers = handlers
        self._last_id = 0
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "agls", "serve", "--stdio"],  # -P: nothing of `cwd` is imported
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=dict(environment),
            cwd=cwd,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the server, politely when nothing went wrong."""
        try:
            if error is None:
                self.call("shutdown", None)
                self.notify("exit", None)
                self._process.wait(LONGEST_END)
        except (OSError, ServerError, subprocess.TimeoutExpired):
            pass
        finally:
            self._process.kill()
            self._process.wait()
            for pipe in (self._stdin, self._stdout):
                with suppress(BrokenPipeError):  # the buffer still has bytes that a dead server did not read
                    pipe.close()

    def notify(self, method: str, params: JsonObject | None) -> None:
        """Send a notification."""
        self._send({"jsonrpc": "2.0", "method": method, "params": params})

    def call(self, method: str, params: JsonObject | None) -> Any:
        """Send a request, serve the server until its answer comes. **Raises** `ServerError`."""
        self._last_id += 1
        wanted = self._last_id  # a handler may call the server, too
        self._send({"jsonrpc": "2.0", "id": wanted, "method": method, "params": params})
        while True:
            message = self._receive()
            if "method" in message:
                self._serve(message)
            elif message.get("id") == wanted:
                if "error" in message:
                    raise ServerError(f"{method}: {message['error']['message']}")
                return message["result"]

    def _serve(self, message: JsonObject) -> None:
        handler = self._handlers.get(message["method"])
        if "id" not in message:
            if handler:
                handler(message.get("params") or {})
        elif handler:
            result = handler(message.get("params") or {})
            self._send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        else:
            error = {"code": -32601, "message": f"no such method: {message['method']}"}
            self._send({"jsonrpc": "2.0", "id": message["id"], "error": error})

    def _send(self, message: JsonObject) -> None:
        body = json.dumps(message).encode()
        try:
            self._stdin.write(b"Content-Length: %d\r\n\r\n%b" % (len(body), body))
            self._stdin.flush()
        except OSError as error:
            raise ServerError("the server went away") from error

    def _receive(self) -> JsonObject:
        length = 0
        while line := self._stdout.readline().strip():
            name, _, value = line.partition(b":")
            if name.lower() == b"content-length":
                length = int(value)
        body = self._stdout.read(length)
        if not body:
            raise ServerError("the server went away")
        return json.loads(body)

    @property
    def _stdin(self) -> IO[bytes]:
        return _there(self._process.stdin)

    @property
    def _stdout(self) -> IO[bytes]:
        return _there(self._process.stdout)


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None  # asked for with PIPE
    return pipe
