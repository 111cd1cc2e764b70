"""Logins at MCP servers that misbehave: each ends, says why, and asks nobody who is none of its business."""

import fcntl
import re
import shutil
import ssl
import subprocess
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from doors.headless.conftest import SCRIPTED, Agls
from support.mcp_login_server import LoginServer, login_server

PUBLIC = "http://mcp.example"
INSIDE = "http://169.254.169.254"


def configured(agls: Agls, url: str) -> None:
    agls.configure(f'{SCRIPTED}[mcp.servers.web]\nurl = "{url}"\nstartup_timeout = 5\ntimeout = 5\n')


def log_in(agls: Agls, certificate: Path | None = None) -> tuple[int, str]:
    """Log in at a terminal, by the page where there is one. **Returns** the exit code and what was said."""
    trust = ssl.create_default_context(cafile=certificate) if certificate else None
    process = agls.start("mcp", "login", "web")
    assert process.stderr
    said = ""
    for line in process.stderr:
        said += line
        if found := re.search(r"https?://127\.0\.0\.1:\d+/authorize\S+", line):
            urllib.request.urlopen(found[0], timeout=20, context=trust).close()
    process.wait()
    return process.returncode, said


@pytest.mark.row(63)
@pytest.mark.parametrize(
    ("way", "words"),
    [
        ("endless", "its answer has more than 1,000,000 bytes"),
        ("issuer", "the login failed: "),
        ("hangs", "it did not begin within 5 seconds"),
        ("forgets", "it wants a login"),
    ],
)
def test_login_that_leads_nowhere_ends_and_says_why(agls: Agls, way: str, words: str) -> None:
    with login_server(way=way) as server:
        configured(agls, f"{server.url}/mcp")
        code, said = log_in(agls)
    assert code != 0
    assert words in said and "Traceback" not in said
    assert server.logins <= 2, "once for each of the two ways to begin"
    assert server.sent < 50


class Proxy(ThreadingHTTPServer):
    """Stands for the network: it has one public server, whose login leads inside."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Asked)
        self.asked: list[str] = []


class Asked(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.answer()

    def answer(self) -> None:
        assert isinstance(self.server, Proxy)
        self.server.asked.append(self.path)
        body = f'{{"resource": "{PUBLIC}/mcp", "authorization_servers": ["{INSIDE}"]}}'.encode()
        is_metadata = "/.well-known/oauth-protected-resource" in self.path
        self.send_response(200 if is_metadata else 401)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        if not is_metadata:
            self.send_header("WWW-Authenticate", "Bearer")
        self.end_headers()
        self.wfile.write(body)


@pytest.mark.row(63)
def test_login_of_a_public_server_asks_nobody_on_a_private_network(agls: Agls) -> None:
    with Proxy() as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        agls.environment = {"HTTP_PROXY": f"http://127.0.0.1:{proxy.server_address[1]}", "NO_PROXY": ""}
        configured(agls, f"{PUBLIC}/mcp")
        code, said = log_in(agls)
        proxy.shutdown()
    assert code != 0
    assert "it leads to 169.254.169.254, which is not on the public network" in said
    assert proxy.asked and not [path for path in proxy.asked if path.startswith(INSIDE)]


@pytest.mark.row(61)
def test_renewal_that_another_process_does_not_end_stops_no_run(agls: Agls) -> None:
    with login_server() as server:
        configured(agls, f"{server.url}/mcp")
        assert log_in(agls)[0] == 0
        renewed(agls, server)
        (lock,) = [file for file in agls.state.glob("mcp/login-*.lock") if file.name != "login-all.lock"]
        server.revoke(renewable=True)
        agls.prompts([{"text": "done"}])
        with lock.open() as held:
            fcntl.flock(held, fcntl.LOCK_EX)
            done = agls.run("run", "go")
        assert done.code == 0
        agls.prompts([{"text": "done"}])
        assert agls.run("mcp", "restart", "web").code == 0, "it is renewed when the other one is gone"
        assert server.logins == 1


def renewed(agls: Agls, server: LoginServer) -> None:
    """Renew the login once, with which the file of the lock is there."""
    server.revoke(renewable=True)
    assert agls.run("mcp", "restart", "web").code == 0


@pytest.fixture
def certificate(tmp_path: Path) -> Path:
    """A certificate for 127.0.0.1, with its key beside it."""
    if not shutil.which("openssl"):
        pytest.skip("there is no openssl here to make a certificate")
    made = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1"
    into = ["-keyout", tmp_path / "key.pem", "-out", tmp_path / "certificate.pem"]
    subprocess.run(["openssl", *made.split(), *into], check=True, capture_output=True, timeout=30)
    return tmp_path / "certificate.pem"


@pytest.mark.row(63)
@pytest.mark.parametrize("way", ["", "metadata", "token", "named"])
def test_login_by_https_goes_on_nowhere_without_it(agls: Agls, certificate: Path, way: str) -> None:
    """A redirect to plain HTTP is not followed, and an address without HTTPS is not asked.

    Where its metadata leads away a server is taken to have none: then the usual addresses of its own count.
    """
    tls = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    tls.load_cert_chain(certificate, certificate.with_name("key.pem"))
    agls.environment = {"SSL_CERT_FILE": str(certificate)}
    with Proxy() as spy:
        threading.Thread(target=spy.serve_forever, daemon=True).start()
        elsewhere = f"http://127.0.0.1:{spy.server_address[1]}"
        with login_server(way=way, tls=tls, elsewhere=elsewhere) as server:
            configured(agls, f"{server.url}/mcp")
            code, said = log_in(agls, certificate)
        spy.shutdown()
    assert spy.asked == []
    assert "Traceback" not in said
    if way in {"token", "named"}:
        assert code != 0, said
        assert "without HTTPS" in said or "login" in said, said
    else:
        assert (code, server.logins) == (0, 1), said
