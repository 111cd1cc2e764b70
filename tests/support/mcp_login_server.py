"""An MCP server behind a login, with the authorization server for it: without libraries, on loopback.

Everybody who opens the page of the login is logged in. Tokens end after `ends` seconds, can be renewed once
each, and are void when they are taken back (`revoke`).
"""

import json
import ssl
import threading
from collections.abc import Generator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {"tools": {}},
    "serverInfo": {"name": "guarded", "version": "1"},
}
TOOL = {"name": "whoami", "description": "Says who asks.", "inputSchema": {"type": "object"}}


class LoginServer:
    """What the server did: `logins` and `renewals` are counted, `registered` are the clients."""

    def __init__(self, port: int, ends: int, way: str) -> None:
        self.way, self.over = way, threading.Event()
        self.url = f"http://127.0.0.1:{port}"
        self.ends, self.elsewhere = ends, ""
        self.logins = self.renewals = self.sent = 0
        self.registered: list[dict[str, Any]] = []
        self._good: set[str] = set()
        self._renews: set[str] = set()
        self._lock = threading.Lock()

    def revoke(self, *, renewable: bool = False) -> None:
        """Take all tokens back, without `renewable` those to renew them, too."""
        self._good.clear()
        if not renewable:
            self._renews.clear()

    def is_good(self, header: str) -> bool:
        return header.removeprefix("Bearer ") in self._good and self.way != "forgets"

    def metadata(self, path: str) -> dict[str, Any] | None:
        if path.startswith("/.well-known/oauth-protected-resource"):
            return {"resource": f"{self.url}/mcp", "authorization_servers": [self.url]}
        if path.startswith("/.well-known/oauth-authorization-server"):
            return {
                "issuer": "https://other.example" if self.way == "issuer" else self.url,
                "authorization_endpoint": f"{self.url}/authorize",
                "token_endpoint": f"{self.elsewhere if self.way == 'named' else self.url}/token",
                "registration_endpoint": f"{self.url}/register",
                "response_types_supported": ["code"],
                "code_challenge_methods_supported": ["S256"],
                "token_endpoint_auth_methods_supported": ["none"],
            }
        return None

    def register(self, said: dict[str, Any]) -> dict[str, Any]:
        self.registered.append(said)
        return {**said, "client_id": f"client-{len(self.registered)}", "token_endpoint_auth_method": "none"}

    def token(self, form: dict[str, str]) -> tuple[int, dict[str, Any]]:
        if self.way == "hangs":
            self.over.wait(60)
        with self._lock:
            if form["grant_type"] == "authorization_code":
                self.logins += 1
            elif form.get("refresh_token") in self._renews:
                self._renews.discard(form["refresh_token"])
                self.renewals += 1
            else:
                return 400, {"error": "invalid_grant"}
            number = self.logins + self.renewals
            token, renews = f"token-{number}", f"renews-{number}"
            self._good.add(token)
            self._renews.add(renews)
        return 200, {
            "access_token": token,
            "token_type": "Bearer",
            "expires_in": self.ends,
            "refresh_token": renews,
        }


def answer(message: dict[str, Any]) -> dict[str, Any] | None:
    """**Returns** the answer to a request of MCP."""
    match message.get("method"):
        case "initialize":
            result: dict[str, Any] = HELLO
        case "tools/list":
            result = {"tools": [TOOL]}
        case "tools/call":
            result = {"content": [{"type": "text", "text": "you"}]}
        case _ if "id" not in message:
            return None
        case _:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "unknown"}}
    return {"jsonrpc": "2.0", "id": message["id"], "result": result}


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    made: LoginServer

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def reply(self, status: int, body: Any = None, **headers: str) -> None:
        data = json.dumps(body).encode() if body is not None else b""
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        where = urlsplit(self.path)
        if where.path == "/authorize":
            asked = {name: values[0] for name, values in parse_qs(where.query).items()}
            back = urlencode({"code": "code-1", "state": asked["state"]})
            self.reply(302, Location=f"{asked['redirect_uri']}?{back}")
        elif self.made.way == "endless" and where.path.startswith("/.well-known/"):
            self.endless()
        elif self.made.way == "metadata" and where.path.startswith("/.well-known/"):
            self.reply(302, Location=f"{self.made.elsewhere}{where.path}")
        elif found := self.made.metadata(where.path):
            self.reply(200, found)
        else:
            self.reply(404 if where.path != "/mcp" else 405)

    def endless(self) -> None:
        """Answer with 100 MB, where they are taken."""
        self.send_response(200)
        self.send_header("Content-Length", "100000000")
        self.end_headers()
        with suppress(OSError):
            for _ in range(100):
                self.wfile.write(b" " * 1_000_000)
                self.made.sent += 1

    def do_DELETE(self) -> None:
        self.reply(200)

    def do_POST(self) -> None:
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.path == "/register":
            self.reply(201, self.made.register(json.loads(data)))
        elif self.path == "/token" and self.made.way == "token":
            self.reply(307, Location=f"{self.made.elsewhere}/token")
        elif self.path == "/token":
            form = {name: values[0] for name, values in parse_qs(data.decode()).items()}
            status, said = self.made.token(form)
            self.reply(status, said)
        elif not self.made.is_good(self.headers.get("Authorization", "")):
            place = f"{self.made.url}/.well-known/oauth-protected-resource/mcp"
            self.reply(401, {}, WWW_Authenticate=f'Bearer resource_metadata="{place}"')
        elif (found := answer(json.loads(data))) is None:
            self.reply(202)
        else:
            self.reply(200, found)


@contextmanager
def login_server(
    ends: int = 3600, way: str = "", tls: ssl.SSLContext | None = None, elsewhere: str = ""
) -> Generator[LoginServer]:
    """Serve for the block, with `tls` by HTTPS.

    `way` is how it misbehaves: `endless`, `forgets`, `hangs` or `issuer`; or what it leads `elsewhere`:
    `metadata` and `token` by a redirect, `named` by its metadata.
    """
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    Handler.made = LoginServer(server.server_address[1], ends, way)
    if tls:
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        Handler.made.url = Handler.made.url.replace("http:", "https:")
    Handler.made.elsewhere = elsewhere
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield Handler.made
    finally:
        Handler.made.over.set()
        server.shutdown()
        server.server_close()
        thread.join()
