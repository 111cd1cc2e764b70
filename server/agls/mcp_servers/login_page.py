"""Where a browser comes back to after a login: a page of this machine, open for that long alone."""

import asyncio
import socket
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from secrets import compare_digest
from urllib.parse import parse_qsl, urlsplit

HOST, PATH = "127.0.0.1", "/callback"
LONGEST = 16_000  # bytes of a request
PAGE = "<!doctype html><meta charset=utf-8><title>agls</title><p>{}</p>"
DONE = "agls got the answer. You can close this page and go back to it."
ELSEWHERE = "There is nothing here."
HEAD = (
    "HTTP/1.1 {} \r\nContent-Type: text/html\r\nContent-Security-Policy: default-src 'none'\r\n"
    "Cache-Control: no-store\r\nConnection: close\r\nContent-Length: {}\r\n\r\n"
)
Came = Mapping[str, str]


def free_port(wanted: int = 0) -> int:
    """**Returns** a port that is free now: the wanted one where it is."""
    for port in (wanted, 0):
        with socket.socket() as probe:
            try:
                probe.bind((HOST, port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    return wanted


def redirect_to(port: int) -> str:
    """**Returns** the address of the page."""
    return f"http://{HOST}:{port}{PATH}"


def state_of(page: str) -> str:
    """**Returns** the mark of a login, by which what comes back is known; "" where it is none of one."""
    return dict(parse_qsl(urlsplit(page).query)).get("state", "")


def came_with(address: str, state: str) -> Came:
    """**Returns** what an address brings of the login: `code`, or `error`; nothing where it is of no such."""
    said = dict(parse_qsl(urlsplit(address.strip()).query))
    is_ours = bool(state) and compare_digest(said.get("state", "").encode(), state.encode())
    return said if is_ours and ("code" in said or "error" in said) else {}


@asynccontextmanager
async def open_page(port: int, state: str) -> AsyncGenerator[asyncio.Future[Came]]:
    """Open the page for the block. Yields a future of what the browser brings. **Raises** `OSError`."""
    came: asyncio.Future[Came] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await asyncio.wait_for(reader.readline(), 10)
            target = line.decode("latin-1").split(" ")[1] if line.startswith(b"GET ") else ""
            found = came_with(target if urlsplit(target).path == PATH else "", state)
            body = PAGE.format(DONE if found else ELSEWHERE).encode()
            writer.write(HEAD.format(200 if found else 404, len(body)).encode() + body)
            await writer.drain()
            if found and not came.done():
                came.set_result(found)
        except (OSError, ValueError, IndexError, TimeoutError):
            pass  # not a browser
        finally:
            writer.close()

    server = await asyncio.start_server(serve, HOST, port, limit=LONGEST)
    try:
        yield came
    finally:
        server.close()
        came.cancel()
