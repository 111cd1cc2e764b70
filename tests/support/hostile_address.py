"""An MCP server at an address that answers calls with what no client can take, in one of several ways."""

import json
import threading
import zlib
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "hostile", "version": "1"},
}
TOOL = {"name": "go", "description": "Goes.", "inputSchema": {"type": "object"}}
RESULTS = {"initialize": HELLO, "tools/list": {"tools": [TOOL]}}
ANSWER = {"content": [{"type": "text", "text": "It went."}]}
PIECE = b" " * 1_000_000
MOST = 200  # pieces, where a client takes them all


class HostileServer(ThreadingHTTPServer):
    """Sends what `way` says for a call: `endless`, `failed`, `packed`, `events` or `other`."""

    daemon_threads = True

    def __init__(self, way: str) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.way, self.sent = way, 0
        self.url = f"http://127.0.0.1:{self.server_address[1]}/mcp"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def head(self, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()

    def say(self, number: object, **answer: Any) -> None:
        data = json.dumps({"jsonrpc": "2.0", "id": number, **answer}).encode()
        self.head(Content_Length=str(len(data)))
        self.wfile.write(data)

    def do_GET(self) -> None:
        self.head(405, Content_Length="0")

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        method, number = message.get("method"), message.get("id")
        if number is None:
            self.head(202, Content_Length="0")
        elif method == "tools/call":
            with suppress(OSError):
                self.misbehave(number)
        elif method in RESULTS:
            self.say(number, result=RESULTS[method])
        else:
            self.say(number, error={"code": -32601, "message": "Method not found"})

    def misbehave(self, number: object) -> None:
        answer = json.dumps({"jsonrpc": "2.0", "id": number, "result": ANSWER}).encode()
        server = self.server
        assert isinstance(server, HostileServer)
        match server.way:
            case "packed":
                data = zlib.compress(answer + PIECE * MOST)
                self.head(Content_Encoding="deflate", Content_Length=str(len(data)))
                self.wfile.write(data)
            case "other":
                self.say(999, result=ANSWER)
            case way:
                kind = "text/event-stream" if way == "events" else "application/json"
                self.head(500 if way == "failed" else 200, kind, Transfer_Encoding="chunked")
                self.wfile.write(b"6\r\ndata: \r\n" if way == "events" else b"")
                for _ in range(MOST):
                    self.wfile.write(b"%x\r\n%s\r\n" % (len(PIECE), PIECE))
                    server.sent += 1


@contextmanager
def hostile_address(way: str) -> Generator[HostileServer]:
    """Serve for the block."""
    with HostileServer(way) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.shutdown()
            thread.join()
