"""One MCP server of this process: started when it is needed, and again when it ended."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, cast

from agls.engine.vocabulary import JsonObject
from agls.mcp_servers.pins import Pinned, Pins
from agls.room.mcp_ports import (
    Discovery,
    McpAnswer,
    McpMessage,
    McpResource,
    McpTool,
    Progress,
    ServerDefinition,
    ServerProblem,
    ServerState,
)
from agls.workspace.stream_programs import StreamPrograms

if TYPE_CHECKING:
    from agls.mcp_servers.sdk import SdkConnection

REST = 30.0  # seconds for which a server that could not be started is left alone
MOST_ENDS, PERIOD = 5, 600.0  # so often in so many seconds it may end and is started again
UNUSED = 120.0  # seconds after which a server ends that was only asked what it offers
ENDING = 6.0  # seconds that are waited for its end
CHANGED = (
    "{0}: the definition of {1} changed since it was accepted, so it was not called. The user sees the "
    "change with /mcp.tools {0}, and accepts it with /mcp.accept {0}."
)


class SharedServer:
    """Implements `McpServer`."""

    def __init__(
        self, definition: ServerDefinition, programs: StreamPrograms, pins: Pins, starts: asyncio.Semaphore
    ) -> None:
        self.definition = definition
        self._programs, self._pins = programs, pins
        self._loop = asyncio.get_running_loop()
        self._starts, self._starting = starts, asyncio.Lock()
        self._connection: SdkConnection | None = None
        self._ends = deque[float](maxlen=MOST_ENDS)
        self._rests_until = 0.0
        self._unused: asyncio.TimerHandle | None = None
        self._is_stopped = False
        self.trouble = self.noise = ""

    @property
    def state(self) -> ServerState:
        """How far it is."""
        if self._runs:
            return "connected"
        if self._starting.locked():
            return "connecting"
        if self.trouble:
            return "failed"
        if self._is_stopped:
            return "stopped"
        return "known" if self.known else "configured"

    @property
    def known(self) -> Discovery | None:
        """What it offered when it was last asked."""
        pinned = self._pins.of(self.definition)
        return pinned.discovery if pinned else None

    async def discover(self) -> Discovery:
        """**Returns** what it offers; it is started for that. **Raises** `ServerProblem`."""
        connection = await self._connected()
        if connection.is_stale:
            await self._list(connection)
        return self.known or Discovery()

    async def call(self, tool: str, arguments: JsonObject, progress: Progress) -> McpAnswer:
        """Call a tool. **Raises** `ServerProblem`."""
        async with self._in_use() as connection:
            known = self.known or Discovery()
            if any(tool == each.name for each in known.changed):
                raise ServerProblem(CHANGED.format(self.definition.name, tool))
            return await connection.call(tool, arguments, progress)

    async def resources(self) -> Sequence[McpResource]:
        """**Returns** what can be read now. **Raises** `ServerProblem`."""
        async with self._in_use() as connection:
            return await connection.resources()

    async def read(self, uri: str) -> McpAnswer:
        """Read a resource. **Raises** `ServerProblem`."""
        async with self._in_use() as connection:
            return await connection.read(uri)

    async def prompt(self, name: str, arguments: Mapping[str, str]) -> Sequence[McpMessage]:
        """**Returns** the messages of a prompt. **Raises** `ServerProblem`."""
        async with self._in_use() as connection:
            return await connection.prompt(name, arguments)

    @asynccontextmanager
    async def _in_use(self) -> AsyncGenerator["SdkConnection"]:
        """Use the connection for the block; from now on the server runs as long as the process does."""
        connection = await self._connected()
        self._stay()
        if connection.is_stale:
            await self._list(connection)
        try:
            yield connection
        finally:
            self.noise = connection.noise
            if connection.gone.is_set():
                self._note_end(connection)

    async def restart(self) -> Discovery:
        """End it where it runs, and start it. **Raises** `ServerProblem`."""
        await self.stop()
        self._ends.clear()
        self._rests_until = 0.0
        return await self.discover()

    async def stop(self) -> None:
        """End it where it runs."""
        self._is_stopped = True
        if over := self.end():
            await asyncio.wait({over}, timeout=ENDING)

    def end(self) -> asyncio.Future[None] | None:
        """Begin to end it. **Returns** a future for its end, where it runs."""
        if self._unused:
            self._unused.cancel()
        connection, self._connection = self._connection, None
        if connection is None:
            return None
        connection.close()
        return connection.over

    def accept(self) -> Sequence[str]:
        """Accept its changed tools as they are. **Returns** their names."""
        pinned = self._pins.of(self.definition)
        if not pinned or not pinned.discovery.changed:
            return ()
        changed = pinned.discovery.changed
        accepted = {**pinned.accepted, **{tool.name: tool for tool in changed}}
        self._keep(_sorted_out(pinned.discovery, accepted))
        return [tool.name for tool in changed]

    def accepted(self, tool: str) -> McpTool | None:
        """**Returns** a tool as it was accepted."""
        pinned = self._pins.of(self.definition)
        return pinned.accepted.get(tool) if pinned else None

    # --- its life ---

    @property
    def _runs(self) -> bool:
        return self._connection is not None and not self._connection.gone.is_set()

    async def _connected(self) -> "SdkConnection":
        async with self._starting:
            connection = self._connection
            if connection is not None:
                if not connection.gone.is_set():
                    return connection
                self._note_end(connection)
            self._check_rest()
            async with self._starts:
                return await self._start()

    def _check_rest(self) -> None:
        """Leave a server alone that only fails. **Raises** `ServerProblem`."""
        now = self._loop.time()
        name = self.definition.name
        if now < self._rests_until:
            raise ServerProblem(
                f"{name} could not be started: {self.trouble}. /mcp.restart {name} tries again."
            )
        if len(self._ends) == MOST_ENDS and now - self._ends[0] < PERIOD:
            raise ServerProblem(
                f"{name} ended {MOST_ENDS} times in a short time, and is left alone: {self.trouble}. "
                f"/mcp.restart {name} starts it."
            )

    async def _start(self) -> "SdkConnection":
        sdk = await asyncio.to_thread(import_module, "agls.mcp_servers.sdk")  # a second of work
        known = self.known
        is_legacy = bool(known and known.era and not sdk.is_modern(known.era))
        connection = cast(
            "SdkConnection", sdk.SdkConnection(self.definition, self._programs, legacy=is_legacy)
        )
        try:
            try:
                await connection.open()
            except ServerProblem:
                if is_legacy or not connection.trouble:
                    raise
                # It ended by itself, maybe of a question that it does not know: asked as older ones are.
                connection = sdk.SdkConnection(self.definition, self._programs, legacy=True)
                await connection.open()
            await self._list(connection)
        except ServerProblem as problem:
            connection.close()
            self.trouble, self.noise = str(problem).rstrip("."), connection.noise
            self._rests_until = self._loop.time() + REST
            raise ServerProblem(f"{self.definition.name} could not be started: {self.trouble}.") from None
        except asyncio.CancelledError:
            connection.close()
            raise
        self._connection = connection
        self.trouble, self.noise = "", connection.noise
        self._is_stopped = False
        self._unused = self._loop.call_later(UNUSED, self.end)
        return connection

    def _stay(self) -> None:
        """It is used from now on: it runs as long as the process does."""
        if self._unused:
            self._unused.cancel()

    def _note_end(self, connection: "SdkConnection") -> None:
        if self._connection is connection:
            self._connection = None
            self._ends.append(self._loop.time())
            self.trouble, self.noise = connection.trouble, connection.noise

    async def _list(self, connection: "SdkConnection") -> None:
        listing = await connection.list()
        pinned = self._pins.of(self.definition)
        self._keep(_sorted_out(listing.discovery(), pinned.accepted if pinned else {}))

    def _keep(self, pinned: Pinned) -> None:
        self._pins.keep(self.definition, pinned)


def _sorted_out(listed: Discovery, accepted: Mapping[str, McpTool]) -> Pinned:
    """**Returns** what was listed: a tool that is new is accepted, one that changed is not."""
    listed_tools = (*listed.tools, *listed.changed)
    fine = tuple(tool for tool in listed_tools if accepted.get(tool.name, tool) == tool)
    changed = tuple(tool for tool in listed_tools if accepted.get(tool.name, tool) != tool)
    discovery = replace(listed, tools=fine, changed=changed)
    return Pinned(discovery, {**accepted, **{tool.name: tool for tool in fine}})
