"""Connections over the event loop: real sockets of this machine, with peers that are slow, silent or gone."""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path

import httpx
import pytest

from agls.models.http.connection import MOST
from agls.models.http.connections import system_trust
from agls.models.http.transport import Transport
from support.patience import become

KEPT = 2  # connections that the next request may use
LARGE = 30_000_000  # bytes: more than the buffers of any socket hold
TIMEOUT = {"timeout": {"connect": 20.0, "read": 20.0, "write": 20.0, "pool": None}}
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
HEAD = b"HTTP/1.1 200 OK\r\n"


@asynccontextmanager
async def serving(serve: Serve) -> AsyncGenerator[str]:
    """The address of a server of which each connection is this."""

    async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with suppress(ConnectionError, asyncio.IncompleteReadError):
                await serve(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(served, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()
        for _ in range(3):
            await asyncio.sleep(0)  # the transports of both sides are let go of


@asynccontextmanager
async def answered(serve: Serve, content: bytes = b"", read: float = 20.0) -> AsyncGenerator[httpx.Response]:
    """The response of such a server, with so many seconds for each silence."""
    transport = Transport(system_trust(), kept=60)
    async with serving(serve) as url:
        limits = {"timeout": {**TIMEOUT["timeout"], "read": read}}
        asked = httpx.Request("POST", url, stream=httpx.ByteStream(content), extensions=limits)
        asked.headers["Content-Length"] = str(len(content))
        try:
            response = await transport.handle_async_request(asked)
            try:
                yield response
            finally:
                await response.aclose()
        finally:
            await transport.aclose()


def pieces_of(response: httpx.Response) -> AsyncIterator[bytes]:
    """The pieces of a body as they come."""
    assert isinstance(response.stream, httpx.AsyncByteStream)
    return aiter(response.stream)


async def test_fast_server_is_held_back_until_its_answer_is_read() -> None:
    """And the server with it: no more than a little is held here."""
    sent = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"Content-Length: %d\r\n\r\n" % LARGE + b"x" * LARGE)
        await writer.drain()
        sent.set()

    async with answered(serve) as response:
        pieces = pieces_of(response)
        size = len(await anext(pieces))
        for _ in range(100):
            await asyncio.sleep(0.001)
        assert not sent.is_set()
        async for piece in pieces:
            size += len(piece)
            assert len(piece) <= 2 * MOST
        assert size == LARGE
        assert sent.is_set()


async def test_a_server_that_reads_slowly_gets_everything() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        head = await reader.readuntil(b"\r\n\r\n")
        await reader.readexactly(LARGE)
        assert b"Content-Length: %d" % LARGE in head
        writer.write(HEAD + b"Content-Length: 3\r\n\r\nyes")

    async with answered(serve, b"x" * LARGE) as response:
        assert await response.aread() == b"yes"


async def test_an_answer_to_an_unread_request_ends_the_writing() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        await asyncio.sleep(3600)

    async with answered(serve, b"x" * LARGE) as response:
        assert response.status_code == 413
        assert await response.aread() == b""


@pytest.mark.parametrize(("content", "late"), [(b"", httpx.ReadTimeout), (b"x" * LARGE, httpx.WriteTimeout)])
async def test_silence_and_stuck_writes_end_in_time(content: bytes, late: type[Exception]) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        del writer
        await reader.readuntil(b"\r\n\r\n")
        await asyncio.sleep(3600)

    with pytest.raises(late):
        async with answered(serve, content, read=0.1):
            pass


async def test_a_wait_that_began_later_ends_later() -> None:
    """The timer of an earlier wait does not end it, and one timer serves both."""
    go = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + b"\r\na")
        await asyncio.sleep(0.3)
        writer.write(b"b")
        await asyncio.sleep(0.3)
        writer.write(b"c")
        await go.wait()

    async with answered(serve, read=0.5) as response:
        pieces = pieces_of(response)
        assert [await anext(pieces), await anext(pieces), await anext(pieces)] == [b"a", b"b", b"c"]
        with pytest.raises(httpx.ReadTimeout):
            await anext(pieces)
        go.set()


BODY = b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n"


@pytest.mark.parametrize(
    ("sent", "body"),
    [
        (HEAD + b"\r\nto the end", b"to the end"),
        (HEAD + BODY + b"2\r\nde\r\n0\r\n\r\n", b"abcde"),
        (HEAD + BODY + b"0\r\nChecksum: 1\r\n\r\n", b"abc"),
        (b"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + HEAD + b"Content-Length: 1\r\n\r\nx", b"x"),
        (b"HTTP/1.0 200 OK\r\n\r\nold", b"old"),
    ],
)
async def test_body_of_any_framing_is_read_in_any_pieces(sent: bytes, body: bytes) -> None:
    for size in (1, 7, len(sent)):

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, size: int = size) -> None:
            await reader.readuntil(b"\r\n\r\n")
            for start in range(0, len(sent), size):
                writer.write(sent[start : start + size])
                await asyncio.sleep(0)

        async with answered(serve) as response:
            assert response.status_code == 200
            assert "link" not in response.headers
            assert await response.aread() == body


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        (b"", "without a response"),
        (b"HTTP/1.1 2", "without a response"),
        (b"nonsense\r\n\r\n", "HttpParser"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n", "Http|without"),
        (HEAD + BODY, "before the response was complete"),
        (HEAD + BODY + b"zz\r\n", "HttpParser"),
        (HEAD + b"Content-Length: 5\r\n\r\nabc", "before the response was complete"),
    ],
)
async def test_response_that_is_cut_off_or_none_is_a_protocol_error(sent: bytes, said: str) -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(sent)

    with pytest.raises(httpx.RemoteProtocolError, match=said):
        async with answered(serve) as response:
            await response.aread()


async def test_pieces_that_are_there_come_as_one_before_the_failure_behind_them() -> None:
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(HEAD + BODY + b"2\r\nde\r\n" + b"zz\r\n")

    async with answered(serve) as response:
        pieces = pieces_of(response)
        assert await anext(pieces) == b"abcde"
        with pytest.raises(httpx.RemoteProtocolError):
            await anext(pieces)


async def test_connection_that_says_more_than_it_was_asked_is_not_kept() -> None:
    taken: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        taken.append(1)
        while await reader.readuntil(b"\r\n\r\n"):
            writer.write(HEAD + b"Content-Length: 1\r\n\r\nx")
            await writer.drain()
            writer.write(HEAD + b"Content-Length: 4\r\n\r\nevil")

    transport = Transport(system_trust(), kept=60)
    async with serving(serve) as url:
        for _ in range(3):
            response = await transport.handle_async_request(httpx.Request("GET", url, extensions=TIMEOUT))
            assert await response.aread() == b"x"
            await response.aclose()
            await become(lambda: not transport.kept_connections)
        await transport.aclose()
    assert len(taken) == 3


async def test_no_answer_from_any_server() -> None:
    transport = Transport(system_trust(), kept=60)
    async with serving(lambda _, __: asyncio.sleep(0)) as url:
        pass
    with pytest.raises(httpx.ConnectError):
        await transport.handle_async_request(httpx.Request("GET", url, extensions=TIMEOUT))


@pytest.mark.parametrize("header", [("na me", "x"), ("name", "a\r\nb"), ("", "x")])
async def test_header_that_would_be_another_one_is_refused(header: tuple[str, str]) -> None:
    asked = httpx.Request("GET", "http://127.0.0.1:9/", headers=[header], extensions=TIMEOUT)
    with pytest.raises(httpx.LocalProtocolError):
        await Transport(system_trust(), kept=60).handle_async_request(asked)


@pytest.mark.parametrize("url", ["ftp://127.0.0.1/", "http:///x", "/x"])
async def test_address_without_a_host_for_http_is_refused(url: str) -> None:
    with pytest.raises(httpx.UnsupportedProtocol):
        await Transport(system_trust(), kept=60).handle_async_request(
            httpx.Request("GET", url, extensions=TIMEOUT)
        )


async def test_a_proxy_has_to_speak_http() -> None:
    with pytest.raises(ValueError, match="socks5"):
        Transport(system_trust(), 1.0, httpx.Proxy("socks5://127.0.0.1:1"))


@contextmanager
def served_apart(folder: Path) -> Generator[str]:
    """A model server in a process of its own: what is open in this one is the client's. Yields its URL."""
    (folder / "replies.json").write_text('{"replies": []}')
    command = [sys.executable, "-m", "support.model_server", "--script", str(folder / "replies.json")]
    here = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    with subprocess.Popen(command, env=here, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout
        yield server.stdout.readline().strip()
        server.kill()


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_request_cancelled_at_any_moment_leaves_no_open_connection(host: str, tmp_path: Path) -> None:
    """Between any two steps of the event loop: while it connects, asks, reads and closes."""

    with served_apart(tmp_path) as address:
        url = f"{address.replace('127.0.0.1', host)}/models"
        transport = Transport(system_trust(), kept=60)

        async def ask() -> None:
            asked = httpx.Request("GET", url, extensions=TIMEOUT)
            answer = await transport.handle_async_request(asked)
            try:
                await answer.aread()
            finally:
                await answer.aclose()

        await ask()
        before = len([*Path("/proc/self/fd").iterdir()])
        for steps in [*range(40)] * 8:
            asking = asyncio.create_task(ask())
            for _ in range(steps):
                await asyncio.sleep(0)
            asking.cancel()
            await asyncio.wait({asking})
        await become(lambda: len([*Path("/proc/self/fd").iterdir()]) <= before + KEPT)
        await transport.aclose()
