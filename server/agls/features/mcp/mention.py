"""`@SERVER:ADDRESS` in a prompt: a resource of an MCP server comes with it."""

from collections.abc import Sequence

from agls.engine.ports import Workspace
from agls.engine.vocabulary import Resource
from agls.features.mcp.configured import ConfiguredServer
from agls.features.mcp.feature import SERVERS
from agls.features.mcp.names import server_part
from agls.features.mcp.server_tool import FROM
from agls.features.mcp.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.regex import regex
from agls.room import Completion, Completions, Piece, PromptRefused, Typing
from agls.room.mcp_ports import McpResource, McpServers, ServerProblem
from agls.room.offers import Consents
from agls.terminal_codes import enclosed

_MENTION = regex(r"(?<!\S)@([A-Za-z0-9][\w.-]*):([A-Za-z][A-Za-z0-9+.-]*:\S+)")
_TYPED = regex(r"(?<!\S)@([A-Za-z0-9][\w.-]*):(\S*)\Z")
_SERVER = regex(r"(?<!\S)@([A-Za-z0-9][\w.-]*)?\Z")
_CLOSING = ",;:.!?)]}'\""  # what a sentence puts behind an address
MOST = 10  # resources of one prompt
MOST_CHARACTERS = 60_000  # of each
MOST_COMPLETIONS = 40
RESOURCES = "resources of the MCP server"
REFUSED = "@{}:{} cannot be attached: {}"


async def expand(
    settings: Settings,
    text: str,
    servers: McpServers,
    workspace: Workspace,
    texts: FolderTexts,
    consents: Consents,
) -> Sequence[Piece]:
    """**Returns** the resources that a text names, each once; other words are only words.

    **Raises** `PromptRefused` where a server is known by this name and the resource cannot be had.
    """
    found = _MENTION.findall(text) if settings.enabled else ()
    if not found:
        return ()
    run = SERVERS(settings, servers, workspace, texts, consents)
    await run.look()
    known = {server_part(used.name): used for used in run.used.values()}
    pieces: list[Piece] = []
    for name, uri in dict.fromkeys((name, uri.rstrip(_CLOSING)) for name, uri in found[:MOST]):
        if used := known.get(server_part(name)):
            try:
                answer = await run.seen.read(used.server, uri, run.questions.caller())
            except ServerProblem as problem:
                raise PromptRefused(REFUSED.format(name, uri, problem)) from None
            words = "\n".join(part if isinstance(part, str) else "[an image]" for part in answer.parts)
            pieces.append(Resource(uri, FROM.format(used.name) + enclosed(words[:MOST_CHARACTERS])))
        elif problem := next((one.problem for one in run.found if _is(one, name)), ""):
            raise PromptRefused(REFUSED.format(name, uri, f"{problem}."))
    return pieces


async def complete(
    settings: Settings,
    typing: Typing,
    servers: McpServers,
    workspace: Workspace,
    texts: FolderTexts,
    consents: Consents,
) -> Completions:
    """**Returns** the servers with resources, and behind the name of one its resources; none is started."""
    before = typing.text[typing.text.rfind("\n", 0, typing.cursor) + 1 : typing.cursor]
    of_server, of_name = _TYPED.search(before), _SERVER.search(before)
    if not settings.enabled or not (of_server or of_name):
        return Completions()
    run = SERVERS(settings, servers, workspace, texts, consents)
    await run.look()
    offered = {
        server_part(used.name): used.server.known.resources
        for used in run.used.values()
        if used.server.known and used.server.known.has_resources
    }
    if of_server:
        name, so_far = of_server.groups()
        start = typing.cursor - len(so_far)
        if lacking := next((one for one in run.found if one.asks and one.problem and _is(one, name)), None):
            return Completions([_to_give(lacking, so_far, start, typing.cursor)])
        rows = [one for one in offered.get(server_part(name), ()) if _fits(one, so_far)]
        items = [_resource(one, start, typing.cursor) for one in rows[:MOST_COMPLETIONS]]
        return Completions(items, len(rows) > MOST_COMPLETIONS)
    so_far = (of_name[1] if of_name else "") or ""
    about = dict.fromkeys(offered, RESOURCES)
    about |= {server_part(one.name): one.problem for one in run.found if one.asks and one.problem}
    names = [name for name in about if name.casefold().startswith(so_far.casefold())]
    start = typing.cursor - len(so_far)
    return Completions(
        [
            Completion(
                label=f"{name}:",
                kind="source",
                text=f"{name}:",
                start=start,
                end=typing.cursor,
                detail=about[name],
            )
            for name in names
        ]
    )


def _is(server: ConfiguredServer, name: str) -> bool:
    return server_part(server.name) == server_part(name)


def _to_give(server: ConfiguredServer, so_far: str, start: int, end: int) -> Completion:
    """**Returns** what stands in place of the resources of a server that lacks an input."""
    label = f"first: /mcp.input {server.asks[0].name}"
    return Completion(label=label, kind="source", text=so_far, start=start, end=end, detail=server.problem)


def _fits(resource: McpResource, so_far: str) -> bool:
    wanted = so_far.casefold()
    return wanted in resource.uri.casefold() or wanted in resource.name.casefold()


def _resource(resource: McpResource, start: int, end: int) -> Completion:
    name = resource.name or resource.uri
    return Completion(
        label=name, kind="source", text=resource.uri, start=start, end=end, detail=resource.description[:120]
    )
