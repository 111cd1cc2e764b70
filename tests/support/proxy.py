"""An HTTP proxy on loopback for tests: it makes tunnels (`CONNECT`) and keeps the heads it was shown."""

import asyncio
import ssl
from base64 import b64encode
from contextlib import suppress
from types import TracebackType
from typing import Self


class Proxy:
    """Every tunnel leads to `port` of this machine, whatever host was asked for.

    With `login` ("name:password") nobody gets through without it. `cut` is after how many bytes of the
    answers a tunnel breaks off.
    """

    def __init__(self, port: int, *, login: str = "", cut: int | None = None) -> None:
        self._port, self._cut = port, cut
        self._wanted = f"Basic {b64encode(login.encode()).decode()}" if login else ""
        self.heads: list[str] = []
        self._serving: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for task in self._serving:
            task.cancel()
        await asyncio.wait(self._serving or {asyncio.ensure_future(asyncio.sleep(0))})

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task
        self._serving.add(task)
        with suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            await self._serve(reader, writer)
        await _closed(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        self.heads.append(head)
        if self._wanted and self._wanted not in head:
            writer.write(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
            await writer.drain()
            return
        writer.write(b"HTTP/1.1 200 Connection established\r\n\r\n")
        answers, questions = await asyncio.open_connection("127.0.0.1", self._port)
        forth = asyncio.ensure_future(_pass_on(reader, questions, None))
        try:
            await _pass_on(answers, writer, self._cut)
        finally:
            forth.cancel()
            await asyncio.wait({forth})
            await _closed(questions)


async def _closed(writer: asyncio.StreamWriter) -> None:
    with suppress(ConnectionError, ssl.SSLError):
        writer.close()
        await writer.wait_closed()


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, most: int | None) -> None:
    """All that comes, or the first `most` bytes of it."""
    with suppress(ConnectionError):
        while most != 0 and (data := await reader.read(65_536 if most is None else most)):
            writer.write(data)
            await writer.drain()
            most = most if most is None else most - len(data)
