"""The language servers of a process: one for a folder and a program."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from agls.room.code_ports import ServerProgram
from agls.workspace.stream_programs import StreamPrograms

if TYPE_CHECKING:
    from agls.language_servers.server import Confine, LanguageServer

Key = tuple[str, str, tuple[str, ...]]


class LanguageServers:
    """Opened with the process, ended by `aclose`."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._streams = StreamPrograms(environment)
        self._servers: dict[Key, LanguageServer] = {}

    def get(self, folder: str, program: ServerProgram, enter: "Confine | None" = None) -> "LanguageServer":
        """Return the server for this folder, which may not run yet; `enter` leads to its sandbox."""
        from agls.language_servers.server import LanguageServer  # noqa: PLC0415 - a process begins without it

        key = (folder, program.language, program.argv)
        if key not in self._servers:
            self._servers[key] = LanguageServer(program, folder, self._streams, enter)
        return self._servers[key]

    async def aclose(self) -> None:
        """End them all."""
        for server in self._servers.values():
            server.end()
        await self._streams.aclose()
