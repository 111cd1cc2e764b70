"""The MCP servers of a process: one process of a server for each folder."""

import asyncio
from collections.abc import Callable, Mapping

from agls.config.input_values import InputValues
from agls.mcp_servers.logins import Logins
from agls.mcp_servers.pins import Pins, key_of
from agls.mcp_servers.server import SharedServer
from agls.mcp_servers.switches import Switches
from agls.room.mcp_ports import CLIENT, ServerConsent, ServerDefinition
from agls.workspace.stream_programs import StreamPrograms

AT_ONCE = 8  # servers that are started side by side
GOODBYE = 0.4  # seconds that all of them have to end by themselves, with the process


class SharedServers:
    """Opened with the process, ended by `aclose`.

    `switches` are those that the user switched off, `inputs` what they gave for the inputs of files.
    """

    def __init__(
        self,
        environment: Mapping[str, str],
        pins: Pins,
        logins: Logins,
        switches: Switches,
        inputs: InputValues,
    ) -> None:
        self.switches, self.inputs = switches, inputs
        self.declined: set[tuple[str, str, str]] = set()  # inputs, by session and folder
        self.read: dict[str, dict[tuple[str, str], int]] = {}  # resources, by session
        self._programs = StreamPrograms(environment)
        self._pins, self._logins = pins, logins
        self._servers: dict[tuple[str, ...], tuple[str, SharedServer]] = {}
        self._starts = asyncio.Semaphore(AT_ONCE)

    def get(self, definition: ServerDefinition, consent: ServerConsent | None = None) -> SharedServer:
        """**Returns** the server with this definition; one of this name and another definition is ended.

        Those of clients stand beside each other, and so do those of sessions that hold one.
        """
        key = key_of(definition)
        place = _place(definition, key)
        known, server = self._servers.get(place, ("", None))
        if server is None or known != key:
            if server:
                server.end()
            server = SharedServer(definition, self._programs, self._pins, self._logins, self._starts)
            self._servers[place] = (key, server)
        server.watch.consent = consent or server.watch.consent
        return server

    def release(self, definition: ServerDefinition) -> None:
        """End the server with this definition, where it runs, and forget it."""
        _, server = self._servers.pop(_place(definition, key_of(definition)), ("", None))
        if server:
            server.end()

    def revoke(self, is_meant: Callable[[str], bool]) -> None:
        """End and forget those of folders, by whose `scope` they are meant: the folder lost its trust."""
        for place, (_, server) in list(self._servers.items()):
            scope = server.definition.scope
            if scope not in {"", CLIENT} and is_meant(scope):
                server.watch.revoke()
                del self._servers[place]

    async def aclose(self) -> None:
        """End them all."""
        overs = {over for _, server in self._servers.values() if (over := server.end())}
        if overs:
            await asyncio.wait(overs, timeout=GOODBYE)
        await self._programs.aclose()
        if overs:
            await asyncio.wait(overs, timeout=GOODBYE)


def _place(definition: ServerDefinition, key: str) -> tuple[str, ...]:
    place = (definition.folder, definition.scope, definition.name, definition.holder)
    return (*place, key) if definition.scope == CLIENT else place
