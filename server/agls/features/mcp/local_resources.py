"""Resources that a folder's manifest names itself, texts and files of the folder: they need no server."""

import asyncio
import posixpath
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from agls.engine.ports import Effect, ToolSpec, WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.features.mcp.resource_tool import SCHEMA
from agls.frozen import frozen
from agls.instruction_files.folder_texts import FolderTexts
from agls.json_values import is_list, list_in, object_in, objects_in, text_in, value_in
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
from agls.secret_names import may_hold_secrets

NAME = "local"
ABOUT = "Read a resource that this folder names. Without `uri`, list them."
READING = frozenset({Effect.READS})
MOST = 200  # resources
LONGEST_TEXT = 60_000  # characters
NO_CONTENT = "the resource {} has neither a text nor a path: write one of them"
NO_URI = "resource {} has no uri: write one"
SECRET = "it is a file that usually holds secrets, which no resource may be"
NO_TOOLS = "the resources of the folder are no server: they have no tools, prompts or logins"


@frozen
class LocalResource:
    """A resource of a manifest: its text, or the `path` of the file that has it ("": it has its text)."""

    uri: str
    name: str = ""
    description: str = ""
    path: str = ""
    text: str = ""
    origin: str = ""


def resources_in(said: object, folder: str, shown: str) -> Iterator[LocalResource | str]:
    """Yield the resources of a manifest, those in its list of servers too, or what is wrong with one."""
    rows = [*list_in(value_in(said, "resources"))]
    for server in objects_in(value_in(said, "servers")):
        rows += list_in(server.get("resources"))
    for number, row in enumerate(rows[:MOST], 1):
        entry = object_in(row)
        uri, path = text_in(entry.get("uri")), text_in(entry.get("path") or entry.get("file"))
        if not uri:
            yield NO_URI.format(number)
        elif not path and not isinstance(entry.get("text"), str):
            yield NO_CONTENT.format(uri[:100])
        else:
            yield LocalResource(
                uri=uri,
                name=text_in(entry.get("name")),
                description=text_in(entry.get("description")),
                path=posixpath.normpath(posixpath.join(folder, path)) if path else "",
                text=text_in(entry.get("text"))[:LONGEST_TEXT],
                origin=shown,
            )


def listed_servers(said: object) -> JsonObject | None:
    """**Returns** the servers of a manifest that has a list of them, by their names; `None` without one.

    One that only has resources is none.
    """
    rows = value_in(said, "servers")
    if not is_list(rows):
        return {} if is_list(value_in(said, "resources")) else None
    named = [(text_in(row.get("name")), row) for row in objects_in(rows)]
    return {
        name or f"server {number}": row
        for number, (name, row) in enumerate(named, 1)
        if row.get("command") or row.get("url") or "resources" not in row
    }


@dataclass(eq=False)
class LocalResources:
    """Implements `McpServer` for the resources of manifests: nothing is ever started."""

    found: Sequence[LocalResource]
    texts: FolderTexts
    folder: str
    state: ServerState = "known"
    trouble = noise = ""
    needs_login = False

    @property
    def definition(self) -> ServerDefinition:
        """What stands for a server."""
        return ServerDefinition(name=NAME, folder=self.folder)

    @property
    def is_outdated(self) -> bool:
        """Whether it has to be asked again: never, it is read."""
        return False

    @property
    def known(self) -> Discovery:
        """The resources."""
        rows = [McpResource(one.uri, one.name, one.description) for one in self.found]
        return Discovery(resources=tuple(rows), has_resources=True)

    def file_of(self, uri: str) -> str:
        """**Returns** the file that a resource is, "" for a text, and where there is none at the address."""
        return next((one.path for one in self.found if one.uri == uri), "")

    async def discover(self) -> Discovery:
        """**Returns** what there is."""
        return self.known

    async def resources(self) -> Sequence[McpResource]:
        """**Returns** what there is."""
        return self.known.resources

    async def read(self, uri: str, caller: Caller = NOBODY) -> McpAnswer:
        """**Returns** the text of a resource. **Raises** `ServerProblem`."""
        one = next((each for each in self.found if each.uri == uri), None)
        if one is None:
            there = ", ".join(each.uri for each in self.found[:20])
            raise ServerProblem(f"there is no resource {uri[:100]} here; there are: {there}")
        return McpAnswer((await asyncio.to_thread(self._text_of, one) if one.path else one.text,))

    def _text_of(self, one: LocalResource) -> str:
        if may_hold_secrets(one.path, self.texts.folders.project):
            raise ServerProblem(f"{one.uri} cannot be read: {SECRET}")
        try:
            read = self.texts.get(("mcp resource", one.path), [], lambda reader: reader.text(one.path))
        except WorkspaceError as problem:
            raise ServerProblem(f"{one.uri} cannot be read: {problem}") from None
        if read is None:
            raise ServerProblem(f"{one.uri} cannot be read: there is no file {one.path}")
        return read[2][:LONGEST_TEXT]

    async def log_in(self, caller: Caller) -> Discovery:
        """There is nothing to log in to."""
        raise ServerProblem(NO_TOOLS)

    async def log_out(self) -> bool:
        """There is no login."""
        return False

    async def call(self, tool: str, arguments: JsonObject, caller: Caller) -> McpAnswer:
        """There are no tools."""
        raise ServerProblem(NO_TOOLS)

    async def take_up(self, task_id: str, caller: Caller) -> McpAnswer:
        """There are no tools."""
        raise ServerProblem(NO_TOOLS)

    def changes_of(self, uri: str) -> int:
        """Files of the folder are watched by others."""
        return 0

    async def prompt(
        self, name: str, arguments: Mapping[str, str], caller: Caller = NOBODY
    ) -> Sequence[McpMessage]:
        """There are no prompts."""
        raise ServerProblem(NO_TOOLS)

    async def complete(self, prompt: str, argument: str, typed: str) -> Sequence[str]:
        """There are no prompts."""
        return ()

    async def restart(self) -> Discovery:
        """**Returns** what there is."""
        return self.known

    async def stop(self) -> None:
        """Nothing runs."""

    def accept(self) -> Sequence[str]:
        """No tool changed."""
        return ()

    def accepted(self, tool: str) -> McpTool | None:
        """There are no tools."""
        return None


def local_spec(name: str) -> ToolSpec:
    """**Returns** the tool that lists and reads them, as the model sees it."""
    return ToolSpec(name, ABOUT, SCHEMA, READING, load="auto")
