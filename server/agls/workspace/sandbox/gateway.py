"""The way out of the sandbox's network: what listens in there is served by a gateway out here.

The sandbox has a network of its own, with nothing in it but its loopback. A small program opens a port there
and hands it over (`enter_network`); whoever connects to it in the sandbox speaks with the gateway.
"""

import asyncio
import os
import socket
import sys
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from agls.engine.ports import Finished, WorkspaceError
from agls.engine.together import together
from agls.frozen import frozen

PORT = 3128
_VARIABLES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")
ENVIRONMENT: Mapping[str, str] = dict.fromkeys(_VARIABLES, f"http://127.0.0.1:{PORT}")


class Gateway(Protocol):
    """Serves the connections of one command, and closes each.

    `refused` is what it let nobody reach, in words.
    """

    @property
    def refused(self) -> Sequence[str]: ...

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None: ...


@frozen
class ReachableHosts:
    """The hosts that commands may reach: `names` for people, `open` makes a gateway for each command."""

    names: Sequence[str]
    open: Callable[[], Gateway]


class Passage:
    """The door of one command, which is open as long as the command runs."""

    def __init__(self, gateway: Gateway) -> None:
        self.gateway = gateway
        self._own, self._theirs = socket.socketpair()
        self._own.setblocking(False)
        self._connections: set[asyncio.Task[None]] = set()
        self._loop = asyncio.get_running_loop()
        self._door: asyncio.Future[socket.socket | None] = self._loop.create_future()
        self._over = asyncio.Event()

    @property
    def descriptor(self) -> int:
        """The end of the socket that the program in the sandbox gets."""
        return self._theirs.fileno()

    @property
    def words(self) -> tuple[str, ...]:
        """What a command line in the sandbox begins with."""
        program = str(Path(__file__).with_name("enter_network.py"))
        return (sys.executable, "-I", "-S", program, str(self.descriptor), str(PORT))

    async def during(self, work: Coroutine[Any, Any, Finished]) -> Finished:
        """Return what the command returns, and serve its connections. **Raises** `WorkspaceError`."""
        self._loop.add_reader(self._own, self._receive)
        outcome, _ = await together((self._end_with(work), self._serve()))
        if isinstance(outcome, WorkspaceError):
            raise outcome
        assert outcome is not None
        return outcome

    def close(self) -> None:
        """Close what is left of it."""
        self._loop.remove_reader(self._own)
        self._own.close()
        self._theirs.close()

    def _receive(self) -> None:
        """Take the door that was handed over."""
        self._loop.remove_reader(self._own)
        try:
            _, handles, _, _ = socket.recv_fds(self._own, 1, 1)
        except OSError:
            return
        if handles and not self._door.done():
            self._door.set_result(socket.socket(fileno=handles.pop()))
        for handle in handles:
            os.close(handle)

    async def _end_with(self, work: Coroutine[Any, Any, Finished]) -> Finished | WorkspaceError:
        try:
            return await work
        except WorkspaceError as problem:  # as a value: a group of tasks would wrap it
            return problem
        finally:
            self._over.set()
            if not self._door.done():
                self._door.set_result(None)

    async def _serve(self) -> None:
        door = await self._door
        if door is None:
            return
        door.setblocking(False)
        server = await asyncio.start_server(self._admit, sock=door)
        try:
            await self._over.wait()
        finally:
            server.close()
            for connection in (*self._connections,):
                connection.cancel()

    async def _admit(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if connection := asyncio.current_task():
            self._connections.add(connection)
            connection.add_done_callback(self._connections.discard)
        await self.gateway.serve(reader, writer)
