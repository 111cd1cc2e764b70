"""Servers at an address: a real one of the SDK on loopback, and ones that answer with something else."""

import asyncio
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError

from agls.mcp_servers.failures import may_have_run, words_of
from agls.mcp_servers.tries import rest_after
from agls.room.mcp_ports import NOBODY, Caller, McpAnswer, McpServer, ServerDefinition, ServerProblem
from mcp_servers.test_shared_servers import SDK, Opened, opened
from support.model_server import Failure, ModelServer
from support.patience import wait_until

__all__ = ["opened"]


@contextmanager
def served(kind: str, port: int = 0) -> Iterator[int]:
    """The sample server behind a port, while the block lasts."""
    if not port:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
    argv = [sys.executable, SDK, kind, str(port)]
    process = subprocess.Popen(argv, stderr=subprocess.DEVNULL)
    try:
        wait_until(lambda: answers(port))
        yield port
    finally:
        process.kill()
        process.wait()


def answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def at(port: int, kind: str = "http", path: str = "/mcp") -> ServerDefinition:
    transport = "sse" if kind == "sse" else "http"
    where = "/sse" if kind == "sse" else path
    return ServerDefinition(
        name="web", transport=transport, url=f"http://127.0.0.1:{port}{where}", startup=20
    )


async def add(server: McpServer) -> McpAnswer:
    return await server.call("add", {"a": 2, "b": 3}, NOBODY)


@pytest.mark.row(63)
@pytest.mark.parametrize(("kind", "era"), [("http", "2026-07-28"), ("stateless", "2026-07-28"), ("sse", "")])
async def test_tools_of_an_address_are_called_with_progress(opened: Opened, kind: str, era: str) -> None:
    with served(kind) as port:
        server = opened().get(at(port, kind))
        found = await server.discover()
        assert found.era == era or kind == "sse"
        assert (await add(server)).structured == '{"total": 5}'
        shown: list[str] = []
        assert (await server.call("count", {"to": 2}, Caller(shown.append))).parts == ("counted to 2",)
        assert shown == ["1/2 step 1\n", "2/2 step 2\n"]


@pytest.mark.row(63)
async def test_address_that_went_away_is_reached_again_when_it_is_back(opened: Opened) -> None:
    with served("http") as port:
        server = opened().get(at(port))
        await add(server)
    with pytest.raises(ServerProblem, match=r"web") as problem:
        await add(server)
    assert problem.value.may_have_run
    with served("http", port):
        assert (await add(server)).structured == '{"total": 5}'


@asynccontextmanager
async def busy(port: int, drops: int, answer: bytes = b"") -> AsyncIterator[tuple[int, list[bool]]]:
    """A port in front of another one. The first connections to it are dropped, after an `answer`.

    It notes which were.
    """
    seen: list[bool] = []

    async def copy(read: asyncio.StreamReader, write: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            while data := await read.read(65_536):
                write.write(data)
                await write.drain()
        write.close()

    async def meet(read: asyncio.StreamReader, write: asyncio.StreamWriter) -> None:
        seen.append(len(seen) < drops)
        if seen[-1]:
            if answer:
                await read.readuntil(b"\r\n\r\n")
                write.write(answer)
                await write.drain()
            write.close()
        else:
            onward = await asyncio.open_connection("127.0.0.1", port)
            await asyncio.gather(copy(read, onward[1]), copy(onward[0], write))

    server = await asyncio.start_server(meet, "127.0.0.1", 0)
    yield server.sockets[0].getsockname()[1], seen
    server.close()


@pytest.mark.row(63)
@pytest.mark.parametrize("drops", [1, 2])
async def test_address_that_is_away_for_a_moment_is_tried_three_times(opened: Opened, drops: int) -> None:
    with served("http") as port:
        async with busy(port, drops) as (front, seen):
            assert (await opened().get(at(front)).discover()).era == "2026-07-28"
            assert seen[: drops + 1] == [True] * drops + [False]


@pytest.mark.row(63)
@pytest.mark.parametrize("status", [408, 425, 429, 500, 503])
async def test_address_that_is_busy_for_a_moment_is_tried_again(opened: Opened, status: int) -> None:
    answer = f"HTTP/1.1 {status} Busy\r\ncontent-length: 0\r\nconnection: close\r\n\r\n".encode()
    with served("http") as port:
        async with busy(port, 1, answer) as (front, seen):
            server = opened().get(at(front))
            assert (await add(server)).structured == '{"total": 5}'
            assert seen[:2] == [True, False]


@pytest.mark.row(63)
async def test_address_that_stays_busy_rests_and_is_asked_again_on_demand(opened: Opened) -> None:
    with ModelServer([Failure(503)] * 40) as other:
        server = opened().get(ServerDefinition(name="web", transport="http", url=f"{other.url}/mcp"))
        with pytest.raises(ServerProblem, match="HTTP 503"):
            await server.discover()
        asked = len(other.posts)
        assert asked >= 3, "it is tried three times"
        with pytest.raises(ServerProblem, match=r"/mcp.restart web tries again"):
            await server.discover()
        assert len(other.posts) == asked, "then it is left alone"
        with pytest.raises(ServerProblem, match="HTTP 503"):
            await server.restart()
        assert len(other.posts) > asked


def test_rest_of_an_address_grows_to_half_a_minute() -> None:
    rests = [rest_after(0, is_program=False)]
    while len(rests) < 5:
        rests.append(rest_after(rests[-1], is_program=False))
    assert rests == [5, 10, 20, 30, 30]
    assert rest_after(0, is_program=True) == 30


@pytest.mark.row(63)
async def test_cancelled_call_leaves_the_address_usable(opened: Opened) -> None:
    with served("http") as port:
        server = opened().get(at(port))
        await server.discover()
        begun = asyncio.Event()
        call = asyncio.create_task(
            server.call("count", {"to": 50, "seconds": 0.2}, Caller(lambda _: begun.set()))
        )
        await begun.wait()
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        assert (await add(server)).structured == '{"total": 5}'


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (401, "refused the key in its headers"),
        (403, "refused the key"),
        (404, "no MCP server"),
        (500, "HTTP 500"),
    ],
)
async def test_address_that_refuses_is_named_with_what_to_do(opened: Opened, status: int, words: str) -> None:
    with ModelServer([Failure(status)] * 6) as other:
        definition = ServerDefinition(
            name="web", transport="http", url=f"{other.url}/mcp", headers=(("Authorization", "Bearer x1"),)
        )
        with pytest.raises(ServerProblem, match=words):
            await opened().get(definition).discover()
        assert other.posts[0].headers["authorization"] == "Bearer x1"


async def test_address_without_anybody_is_named(opened: Opened) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with pytest.raises(ServerProblem) as problem:
        await opened().get(at(port)).discover()
    assert str(problem.value).startswith("web could not be started: nobody answers at http://127.0.0.1:")
    assert "Error" not in str(problem.value)


@pytest.mark.parametrize(
    ("error", "may"),
    [
        (MCPError(-32602, "bad arguments"), False),
        (MCPError(-32000, "quota used up"), True),
        (MCPError(-32700, "Failed to parse JSON response"), True),
        (MCPError(-32600, "Unexpected content type: text/html"), True),
    ],
)
def test_call_that_was_answered_may_have_done_something(error: MCPError, may: bool) -> None:
    assert may_have_run(error) == may


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (anyio.ClosedResourceError(), "the connection was closed"),
        (BaseExceptionGroup("several", [httpx2.ReadTimeout("")]), "it did not answer in time"),
        (httpx2.RemoteProtocolError("Server disconnected"), "the connection broke (Server disconnected)"),
        (httpx2.UnsupportedProtocol("x"), "its address is not one of HTTP"),
        (PermissionError(13, "Permission denied"), "Permission denied"),
        (MCPError(-32601, "Method not found"), "it does not know this request"),
        (MCPError(-32600, "Unexpected content type: text/html"), "its answer is neither JSON nor a stream"),
        (MCPError(-32000, "SSE stream ended without a response"), "its stream ended without an answer"),
        (
            MCPError(-32600, "Redirect to https://x.example/mcp not followed; use that URL as the endpoint"),
            "it leads to https://x.example/mcp, where nobody is asked: write that as its url",
        ),
        (KeyError("x"), "something unexpected happened"),
    ],
)
def test_failure_is_said_in_plain_words(error: BaseException, words: str) -> None:
    assert words in words_of(error)
    assert type(error).__name__ not in words_of(error)
