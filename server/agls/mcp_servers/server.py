"""One MCP server of this process: started when it is needed, and again when it ended."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, cast

from agls.config import ConfigError
from agls.engine.vocabulary import JsonObject
from agls.mcp_servers.consent_watch import ConsentWatch
from agls.mcp_servers.logins import Logins
from agls.mcp_servers.pins import Pinned, Pins, counted_from_now, is_over, key_of, sorted_out
from agls.mcp_servers.tries import Tries, rest_after
from agls.room.mcp_ports import (
    NOBODY,
    Caller,
    Discovery,
    McpAnswer,
    McpMessage,
    McpResource,
    McpTool,
    ServerDefinition,
    ServerProblem,
    ServerState,
)
from agls.workspace.stream_programs import StreamPrograms

if TYPE_CHECKING:
    from agls.mcp_servers.sdk import SdkConnection

MOST_ENDS, PERIOD = 5, 600.0  # so often in so many seconds it may end and is started again
UNUSED = 120.0  # seconds after which a server ends that was only asked what it offers
MOST_CHANGED = 1_000  # resources
ENDING = 6.0  # seconds that are waited for its end
NOT_LISTED = "its lists changed, and could not be read again"
CHANGED = (
    "{0}: the definition of {1} changed since it was accepted, so it was not called. The user sees the "
    "change with /mcp.tools {0}, and accepts it with /mcp.accept {0}."
)


class SharedServer:
    """Implements `McpServer`."""

    def __init__(
        self,
        definition: ServerDefinition,
        programs: StreamPrograms,
        pins: Pins,
        logins: Logins,
        starts: asyncio.Semaphore,
    ) -> None:
        self.definition = definition
        self._programs, self._logins = programs, logins
        self._pins, self._key = pins, key_of(definition)
        self._loop = asyncio.get_running_loop()
        self._starts, self._starting = starts, asyncio.Lock()
        self._connection: SdkConnection | None = None
        self._ends = deque[float](maxlen=MOST_ENDS)
        self._changes = Counter[str]()
        self._rests_until, self._rest = 0.0, 0.0
        self._unused: asyncio.TimerHandle | None = None
        self.watch = ConsentWatch(definition.name, self.end)
        self._is_stopped = False
        self.trouble = self.noise = ""
        self.needs_login = False

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
        pinned = self._pins.of(self._key)
        return pinned.discovery if pinned else None

    @property
    def is_outdated(self) -> bool:
        """Whether it may offer something else by now: it has to be asked before a run."""
        return is_over(self._pins.of(self._key))

    async def discover(self) -> Discovery:
        """**Returns** what it offers; it is started for that. **Raises** `ServerProblem`."""
        connection = await self._connected()
        await self._list_again(connection)
        return self.known or Discovery()

    async def log_in(self, caller: Caller) -> Discovery:
        """Log in anew, and **return** what it offers. **Raises** `ServerProblem`."""
        if self.definition.transport == "stdio":
            raise ServerProblem(f"{self.definition.name} is a program: there is no login to it.")
        await self.log_out()
        self._rests_until = 0.0
        await self._connected(caller)
        return self.known or Discovery()

    async def log_out(self) -> bool:
        """Forget the login and end the connection. **Returns** whether there was one."""
        await self.stop()
        try:
            return await asyncio.to_thread(self._logins.forget, self.definition.url)
        except (ConfigError, OSError) as problem:
            raise ServerProblem(f"The login could not be forgotten: {problem}") from None

    async def call(self, tool: str, arguments: JsonObject, caller: Caller) -> McpAnswer:
        """Call a tool. **Raises** `ServerProblem`."""
        async with self._in_use(caller) as connection:
            known = self.known or Discovery()
            if any(tool == each.name for each in known.changed):
                raise ServerProblem(CHANGED.format(self.definition.name, tool))
            return await connection.call(tool, arguments, caller)

    async def take_up(self, task_id: str, caller: Caller) -> McpAnswer:
        """Wait for a task that a call became in an earlier process. **Raises** `ServerProblem`."""
        async with self._in_use(caller) as connection:
            return await connection.take_up(task_id, caller)

    async def resources(self) -> Sequence[McpResource]:
        """**Returns** what can be read now. **Raises** `ServerProblem`."""
        async with self._in_use() as connection:
            return await connection.resources()

    async def read(self, uri: str, caller: Caller = NOBODY) -> McpAnswer:
        """Read a resource. **Raises** `ServerProblem`."""
        async with self._in_use(caller) as connection:
            return await connection.read(uri, caller)

    async def prompt(
        self, name: str, arguments: Mapping[str, str], caller: Caller = NOBODY
    ) -> Sequence[McpMessage]:
        """**Returns** the messages of a prompt. **Raises** `ServerProblem`."""
        async with self._in_use(caller) as connection:
            return await connection.prompt(name, arguments, caller)

    async def complete(self, prompt: str, argument: str, typed: str) -> Sequence[str]:
        """**Returns** what it suggests for an argument of a prompt. **Raises** `ServerProblem`."""
        async with self._in_use() as connection:
            return await connection.complete(prompt, argument, typed)

    @asynccontextmanager
    async def _in_use(self, caller: Caller = NOBODY) -> AsyncGenerator["SdkConnection"]:
        """Use the connection for the block; from now on the server runs as long as the process does."""
        connection = await self._connected(caller)
        self._stay()
        try:
            await self._list_again(connection)
            yield connection
        finally:
            self.noise, self.needs_login = connection.noise, connection.needs_login
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
        self.watch.stop()
        connection, self._connection = self._connection, None
        if connection is None:
            return None
        connection.close()
        return connection.over

    def accept(self) -> Sequence[str]:
        """Accept its changed tools as they are. **Returns** their names."""
        pinned = self._pins.of(self._key)
        if not pinned or not pinned.discovery.changed:
            return ()
        changed = pinned.discovery.changed
        accepted = {**pinned.accepted, **{tool.name: tool for tool in changed}}
        self._keep(sorted_out(pinned.discovery, replace(pinned, accepted=accepted)))
        return [tool.name for tool in changed]

    def accepted(self, tool: str) -> McpTool | None:
        """**Returns** a tool as it was accepted."""
        pinned = self._pins.of(self._key)
        return pinned.accepted.get(tool) if pinned else None

    # --- its life ---

    @property
    def _runs(self) -> bool:
        return self._connection is not None and not self._connection.gone.is_set()

    async def _connected(self, caller: Caller = NOBODY) -> "SdkConnection":
        async with self._starting:
            await self.watch.check()
            connection = self._connection
            if connection is not None:
                if not connection.gone.is_set():
                    return connection
                self._note_end(connection)
            self._check_rest()
            await self.watch.check_start()
            async with self._starts:
                return await self._start(caller)

    def _check_rest(self) -> None:
        """Leave a server alone that only fails. **Raises** `ServerProblem`."""
        now = self._loop.time()
        name = self.definition.name
        if now < self._rests_until:
            raise ServerProblem(
                f"{name} could not be started (/mcp.restart {name} tries again)", said=f"{self.trouble}."
            )
        if len(self._ends) == MOST_ENDS and now - self._ends[0] < PERIOD:
            raise ServerProblem(
                f"{name} ended {MOST_ENDS} times in a short time, and is left alone "
                f"(/mcp.restart {name} starts it)",
                said=f"{self.trouble}.",
            )

    async def _start(self, caller: Caller) -> "SdkConnection":
        sdk = await asyncio.to_thread(import_module, "agls.mcp_servers.sdk")  # a second of work
        known = self.known
        tries = Tries(is_old=bool(known and known.era and not sdk.is_modern(known.era)))
        while True:
            connection = self._connection_of(sdk, legacy=tries.legacy)
            try:
                await connection.open(caller)
                await self._list(connection, caller)
            except ServerProblem as problem:
                connection.close()
                if not await tries.again(connection):
                    raise self._failed(connection, str(problem)) from None
            except asyncio.CancelledError:
                connection.close()
                raise
            else:
                self._begin(connection)
                return connection

    def _begin(self, connection: "SdkConnection") -> None:
        self._connection = connection
        self.trouble, self.noise = "", connection.noise
        self._is_stopped = self.needs_login = False
        self._rest = 0.0
        self._unused = self._loop.call_later(UNUSED, self.end)
        self.watch.begin()

    def _failed(self, connection: "SdkConnection", why: str) -> ServerProblem:
        """Leave it alone for a while. **Returns** what is wrong."""
        self.trouble, self.noise = why.rstrip("."), connection.noise
        self.needs_login = connection.needs_login
        self._rest = rest_after(self._rest, is_program=self.definition.transport == "stdio")
        self._rests_until = 0.0 if self.needs_login else self._loop.time() + self._rest
        about = f"{self.definition.name} could not be started"
        return ServerProblem(about, said=f"{self.trouble}.")

    def _connection_of(self, sdk: ModuleType, *, legacy: bool) -> "SdkConnection":
        place = self.definition, self._programs, self._logins
        made = sdk.SdkConnection(*place, self._note_change, legacy=legacy)
        return cast("SdkConnection", made)

    def changes_of(self, uri: str) -> int:
        """**Returns** how often it told that a resource changed."""
        return self._changes[uri]

    def _note_change(self, uri: str) -> None:
        if uri in self._changes or len(self._changes) < MOST_CHANGED:
            self._changes[uri] += 1

    def _stay(self) -> None:
        """It is used from now on: it runs as long as the process does."""
        if self._unused:
            self._unused.cancel()

    def _note_end(self, connection: "SdkConnection") -> None:
        if self._connection is connection:
            self._connection = None
            self._ends.append(self._loop.time())
            self.trouble, self.noise = connection.trouble, connection.noise

    async def _list(self, connection: "SdkConnection", caller: Caller = NOBODY) -> None:
        listing = await connection.list(caller)
        known = counted_from_now(self._pins.of(self._key), listing.lasts, connection.noise)
        self._keep(sorted_out(listing.discovery(), known))

    async def _list_again(self, connection: "SdkConnection") -> None:
        """List what changed. What cannot be listed any more stays as it is, and that is said."""
        if not (connection.is_stale or self.is_outdated):
            return
        try:
            await self._list(connection)
        except ServerProblem as problem:
            pinned = self._pins.of(self._key)
            if connection.gone.is_set() or pinned is None:
                raise
            said = (f"{NOT_LISTED}: {' '.join(str(problem).split())}",)
            earlier = tuple(line for line in pinned.discovery.dropped if not line.startswith(NOT_LISTED))
            self._keep(replace(pinned, discovery=replace(pinned.discovery, dropped=said + earlier)))

    def _keep(self, pinned: Pinned) -> None:
        self._pins.keep(self._key, self.definition.name, pinned)
