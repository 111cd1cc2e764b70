"""Connections over the event loop: real sockets of this machine, with peers that are slow, silent or gone."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import httpcore
import httpx
import pytest

from agls.models.http.connections import system_trust
from agls.models.http.transport import MOST, AsyncioBackend, SocketStream, Transport
from support.model_server import ModelServer, Reply
from support.patience import become

KEPT = 4  # both ends of two connections that the next request may use
LARGE = 30_000_000  # bytes: more than the buffers of any socket hold
Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def connected(serve: Serve) -> AsyncGenerator[SocketStream]:
    """A connection to a server of which each connection is this."""
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    made = await AsyncioBackend().connect_tcp("127.0.0.1", server.sockets[0].getsockname()[1], timeout=20)
    assert isinstance(made, SocketStream)
    try:
        yield made
    finally:
        await made.aclose()
        server.close()


async def test_what_a_fast_server_sends_waits_until_it_is_read() -> None:
    """And the server with it: no more than a little is held here."""
    sent = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"x" * LARGE)
        await writer.drain()
        sent.set()
        writer.close()

    async with connected(serve) as connection:
        size = len(await connection.read(1, timeout=20))
        for _ in range(100):
            await asyncio.sleep(0.001)
        assert not sent.is_set()
        while data := await connection.read(MOST, timeout=20):
            size += len(data)
            assert len(data) <= MOST
        assert size == LARGE
        assert sent.is_set()


async def test_a_server_that_reads_slowly_gets_everything() -> None:
    got: asyncio.Future[int] = asyncio.get_running_loop().create_future()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(0.1)
        got.set_result(len(await reader.readexactly(LARGE)))
        writer.close()

    async with connected(serve) as connection:
        await connection.write(b"x" * LARGE, timeout=20)
        assert await got == LARGE
        assert await connection.read(10, timeout=20) == b""


async def test_silence_and_stuck_writes_end_in_time() -> None:
    """One timer serves a short wait behind a long one, and a long one behind a short one."""
    over = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"a")
        await over.wait()
        writer.close()

    async with connected(serve) as connection:
        assert await connection.read(10, timeout=600) == b"a"
        with pytest.raises(httpcore.ReadTimeout):
            await connection.read(10, timeout=0.05)
        with pytest.raises(httpcore.ReadTimeout):
            await connection.read(10, timeout=0.2)
        with pytest.raises(httpcore.WriteTimeout):
            await connection.write(b"x" * LARGE, timeout=0.05)
        over.set()


async def test_a_wait_that_began_later_ends_later() -> None:
    """The timer of an earlier, shorter wait does not end it."""
    go = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"a")
        await go.wait()
        writer.write(b"b")
        await writer.drain()
        writer.close()

    async with connected(serve) as connection:
        assert await connection.read(10, timeout=0.3) == b"a"
        reading = asyncio.ensure_future(connection.read(10, timeout=60))
        await asyncio.sleep(0.5)
        assert not reading.done()
        go.set()
        assert await reading == b"b"


async def test_nothing_is_written_to_who_has_gone() -> None:
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.abort()

    async with connected(serve) as connection:
        while not connection.get_extra_info("is_readable"):
            await asyncio.sleep(0.001)
        with suppress(httpcore.ReadError):  # or the end, when it was not reset
            assert await connection.read(10, timeout=20) == b""
        with pytest.raises(httpcore.WriteError):
            await connection.write(b"x", timeout=20)


async def test_nobody_answers_at_all() -> None:
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    server.close()
    await server.wait_closed()
    with pytest.raises(httpcore.ConnectError):
        await AsyncioBackend().connect_tcp("127.0.0.1", port, timeout=20)


async def test_a_proxy_has_to_speak_http() -> None:
    with pytest.raises(ValueError, match="socks5"):
        Transport(system_trust(), 1.0, httpx.Proxy("socks5://127.0.0.1:1"))


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_request_cancelled_at_any_moment_leaves_no_open_connection(host: str) -> None:
    """Between any two steps of the event loop: while it connects, asks, reads and closes."""

    with ModelServer(lambda _: Reply("ok")) as server:
        url = f"{server.url.replace('127.0.0.1', host)}/models"
        transport = Transport(system_trust(), kept=60)
        timeout = dict.fromkeys(("connect", "read", "write"), 20.0)

        async def ask() -> None:
            asked = httpx.Request("GET", url, extensions={"timeout": timeout})
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
