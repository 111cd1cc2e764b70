"""The servers of one run, and the tools that they bring to it."""

import asyncio
from collections.abc import Callable, Sequence
from functools import partial

from agls.engine.facts import GateFact, Injected, Notice, ToolServer, ToolServers
from agls.engine.feature import Attempt, RunView
from agls.engine.ports import Tool, Workspace, new_id
from agls.engine.state import State
from agls.engine.together import together
from agls.engine.vocabulary import Content, JsonObject, Stop, Text, UserMessage
from agls.features.mcp.agent_servers import with_agent_servers
from agls.features.mcp.configured import ConfiguredServer, FoundServers, ServedFolder, configured
from agls.features.mcp.feature import ROOM
from agls.features.mcp.folder_servers import folder_servers
from agls.features.mcp.inputs import ServerInput
from agls.features.mcp.local_resources import NAME as LOCAL
from agls.features.mcp.local_resources import LocalResources, local_spec
from agls.features.mcp.names import tool_name
from agls.features.mcp.questions import UserQuestions
from agls.features.mcp.resource_tool import NAME as RESOURCES
from agls.features.mcp.resource_tool import ResourceTool, spec_of_resources
from agls.features.mcp.seen_resources import SeenResources
from agls.features.mcp.server_tasks import ServerTasks
from agls.features.mcp.server_tool import ServerTool, spec_of
from agls.features.mcp.settings import ServerSetting, Settings
from agls.features.mcp.variables import Variables
from agls.frozen import frozen
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.mcp_ports import (
    NOBODY,
    Discovery,
    InputNotKept,
    McpAnswer,
    McpServer,
    McpServers,
    ServerConsent,
    ServerProblem,
)
from agls.room.offers import Consents, Offer

AWAY = "MCP servers that cannot be used"
DROPPED = "Tools of MCP servers are left out"
INACTIVE = "MCP servers that this folder offers are not used"
NOT_KEPT = "What you gave for an MCP server cannot be kept"
NOT_GIVEN = "You did not consent to: {}"
CHANGED = (
    "the definition of {0} changed since it was accepted: /mcp.tools {1} shows it, /mcp.accept {1} accepts it"
)


@frozen(eq=False)
class UsedServer:
    """A server of a run."""

    name: str
    origin: str
    setting: ServerSetting
    server: McpServer


class RunServers:
    """Offers the tools of servers: those that are known at once, the others when they were asked."""

    def __init__(
        self,
        find: Callable[[], Sequence[ConfiguredServer]],
        servers: McpServers,
        consents: Consents,
        questions: UserQuestions,
        local: LocalResources,
    ) -> None:
        self._find, self.questions = find, questions
        self.found = find()
        self.servers, self._consents = servers, consents
        self.used: dict[str, UsedServer] = {}
        self._tools: dict[str, Tool] = {}
        self.seen = SeenResources(servers.read)
        self._tasks, self._shown = ServerTasks(), ToolServers(())
        for one in self.found:
            if not one.offer:
                self._use(one)
        if local.found:
            self._use_local(local)

    def tools(self) -> Sequence[Tool]:
        """**Returns** the tools that are known by now."""
        return tuple(self._tools.values())

    def now_used(self) -> Sequence[UsedServer]:
        """**Returns** all that may be used now, with what the user consented to before."""
        self._look()
        return tuple(self.used.values())

    async def call(self, server: str, tool: str, arguments: JsonObject) -> McpAnswer:
        """Call a tool for another room, as far as nothing forbids it. **Raises** `ServerProblem`."""
        await self.look()
        used = self.used.get(server)
        if used is None:
            raise ServerProblem(f"there is no MCP server {server} that may be used here")
        name = tool_name(server, tool)
        if why := self.servers.forbids(name):
            raise ServerProblem(f"{name} is not called. {why}")
        if not used.setting.wants(tool):
            raise ServerProblem(f"the settings of the MCP server {server} leave its tool {tool} out")
        return await used.server.call(tool, arguments, NOBODY)

    async def look(self) -> Sequence[str]:
        """Use what the user consented to before. **Returns** the names of the offers that wait for that."""
        return await asyncio.to_thread(self._look)

    def _look(self) -> Sequence[str]:
        waiting: list[str] = []
        for one in self.found:
            if one.offer and not one.problem and one.name not in self.used:
                if self._consents.look(one.offer).is_given:
                    self._use(one)
                else:
                    waiting.append(one.name)
        return waiting

    async def look_again(self) -> None:
        """Read the configuration again, after something was given that servers lacked."""
        self.found = await asyncio.to_thread(self._find)

    async def around_run(self, attempt: Attempt, view: RunView) -> Stop:
        """End the servers that the agent of the run brought, when it is over."""
        try:
            with self._tasks.noted_in(view):
                return await attempt()
        finally:
            for used in self.used.values():
                if used.server.definition.holder:
                    self.servers.release(used.server.definition)

    async def before_turn(self, view: RunView) -> Sequence[Stop | GateFact]:
        """Ask for consents, ask the servers that are not known yet, and say what cannot be used.

        Clients see how far the servers are: once in a run, and whenever that changed.
        """
        facts = await self._begin(view)
        self._show(view)
        return (*facts, *self.seen.changed([used.server for used in self.used.values()]))

    def _show(self, view: RunView, starting: Sequence[str] = ()) -> None:
        """Show clients how far the servers are, unless they know."""
        now = ToolServers(tuple(self._row(one, one.name in starting) for one in self.found))
        if now.servers and now != self._shown:
            self._shown = now
            view.show(now)

    async def _begin(self, view: RunView) -> Sequence[Stop | GateFact]:
        state = view.state
        if not state.running or state.run.turns:
            return ()
        if refused := await self._settle(view):
            view.show(Notice("warning", INACTIVE, NOT_GIVEN.format(", ".join(refused))))
        unknown = [used for used in self.used.values() if not used.server.known or used.server.is_outdated]
        if unknown:
            self._show(view, [used.name for used in unknown])
        away = [f"{one.name}: {one.problem}" for one in self.found if one.problem and not one.is_off]
        away += [problem for problem in await together(map(self._ask, unknown)) if problem]
        if dropped := [line for used in self.used.values() for line in _dropped(used)]:
            view.show(Notice("warning", DROPPED, "\n".join(dropped)))
        taken_up = await self._tasks.take_up(view)
        told = (Text(f"{AWAY}: {'; '.join(away)}"),)
        if not away or told == _told_last(state):
            return taken_up
        view.show(Notice("warning", AWAY, "\n".join(away)))
        return (Injected((UserMessage(new_id("item"), told, ROOM),)), *taken_up)

    def _row(self, one: ConfiguredServer, starts: bool = False) -> ToolServer:
        used = self.used.get(one.name)
        if used is None:
            message = "" if one.is_off else one.problem
            return ToolServer(one.name, "stopped", message=message, needs_input=one.missing_input)
        if starts:
            return ToolServer(one.name, "connecting")
        known, state = used.server.known, used.server.state
        status = "stopped" if state in ("configured", "known") else state
        tools = len(known.tools) if known else None
        return ToolServer(one.name, status, tools, used.server.trouble, used.server.needs_login)

    async def _settle(self, view: RunView) -> Sequence[str]:
        """Let the user decide on what the folder offers, and give what that needs.

        **Returns** what they did not consent to.
        """
        agreed: dict[str, ConfiguredServer] = {}
        refused: list[str] = []
        can_ask = self.questions.forms.takes_forms
        for one in self.found:
            if one.offer and (not one.problem or (one.asks and can_ask)):
                if await self._consents.settle(one.offer):
                    agreed[one.name] = one
                else:
                    refused.append(one.name)
        if any([await self._give(one, view) for one in agreed.values() if one.asks and can_ask]):
            await self.look_again()
        for one in self.found:
            if one.offer and not one.problem and one.name in agreed:
                self._use(one)
        return refused

    async def _give(self, one: ConfiguredServer, view: RunView) -> bool:
        """Have the user give what a server needs. **Returns** whether any of it is there now."""
        inputs = self.servers.inputs
        known = await asyncio.to_thread(inputs.read, one.asks[0].folder)
        is_given = False
        for each in one.asks:
            if each.name not in known:  # nor given for another server just now
                was_given = not inputs.is_declined(each.folder, each.name)
                try:
                    was_given = was_given and await self.ask_for(each, one.name)
                except InputNotKept as problem:
                    was_given = False
                    view.show(Notice("warning", NOT_KEPT, f"{each.name}: {problem}"))
                if not (was_given or each.default):
                    break  # the others are of no use without it
            is_given = True
        return is_given

    async def ask_for(self, wanted: ServerInput, server: str) -> bool:
        """Have the user give the value of an input, and keep it. **Returns** whether they gave it.

        **Raises** `InputNotKept`.
        """
        inputs = self.servers.inputs
        value = await self.questions.value_of(wanted, server)
        if value is None:
            inputs.decline(wanted.folder, wanted.name)
            return False
        await asyncio.to_thread(inputs.keep, wanted.folder, wanted.name, value, secret=wanted.is_secret)
        return True

    async def _ask(self, used: UsedServer) -> str:
        """Ask a server what it offers. **Returns** why it cannot be used."""
        known = used.server.known
        try:
            found = await used.server.discover()
        except ServerProblem as problem:
            return str(problem)
        if found != known:
            self._withdraw(used)
            self._offer(used, found)
        return ""

    def _withdraw(self, used: UsedServer) -> None:
        """Offer none of its tools any more."""
        for name in [name for name, tool in self._tools.items() if _is_of(tool, used.server)]:
            del self._tools[name]

    def _use(self, one: ConfiguredServer) -> None:
        if not (one.definition and one.setting):
            return
        server = self.servers.get(one.definition, self._consent_to(one.offer) if one.offer else None)
        used = UsedServer(one.name, one.origin, one.setting, server)
        self.used[one.name] = used
        if known := used.server.known:
            self._offer(used, known)

    def _consent_to(self, offer: Offer) -> ServerConsent:
        return ServerConsent(partial(self._consents.holds, offer), partial(self._consents.stands, offer))

    def _use_local(self, local: LocalResources) -> None:
        """Offer the resources that the folder names itself; a server of their name has it before them."""
        name = LOCAL if all(one.name != LOCAL for one in self.found) else f"{LOCAL}_resources"
        setting = ServerSetting.model_construct()
        self.used[name] = UsedServer(name, local.found[0].origin, setting, local)
        called = tool_name(name, RESOURCES, self._tools)
        self._tools[called] = ResourceTool(
            local, local_spec(called), self.questions, self.seen, local.file_of
        )

    def _offer(self, used: UsedServer, known: Discovery) -> None:
        always = used.setting.always_load
        for tool in known.tools:
            if used.setting.wants(tool.name):
                name = tool_name(used.name, tool.name, self._tools)
                spec = spec_of(name, tool, always=always)
                self._tools[name] = ServerTool(used.server, tool, spec, self.questions, self._tasks)
        if known.has_resources and used.setting.wants(RESOURCES):
            name = tool_name(used.name, RESOURCES, self._tools)
            spec = spec_of_resources(name, used.name, always=always)
            self._tools[name] = ResourceTool(used.server, spec, self.questions, self.seen)


def _is_of(tool: Tool, server: McpServer) -> bool:
    """**Returns** whether a tool is one of this server."""
    return isinstance(tool, ServerTool | ResourceTool) and tool.server is server


def _told_last(state: State) -> tuple[Content, ...]:
    """Return what the model read last of servers that cannot be used, as far as it still sees that."""
    messages = reversed(state.context.messages)
    return next((m.content for m in messages if isinstance(m, UserMessage) and m.origin == ROOM), ())


def servers_of(
    settings: Settings,
    servers: McpServers,
    workspace: Workspace,
    texts: FolderTexts,
    consents: Consents,
) -> RunServers:
    """**Returns** the servers that a run, a command or a prompt may use here."""
    variables = Variables(servers.environment, servers.keys)
    root = _root(workspace, texts)
    roots = [root] if root in texts.folders.project else []
    place = ServedFolder(root, variables, roots, servers.off, servers.inputs.read)
    files = with_agent_servers(folder_servers(settings, texts), servers.of_agent, root, texts.folders.home)
    all_of_them = FoundServers(settings.servers, files, servers.given)

    def find() -> Sequence[ConfiguredServer]:
        return configured(all_of_them, place) if settings.enabled else ()

    local = LocalResources(files.resources, texts, root)
    return RunServers(
        find, servers, consents, UserQuestions(servers.forms, servers.model_use, servers.points), local
    )


def _root(workspace: Workspace, texts: FolderTexts) -> str:
    """Return the folder of the session, in which servers run: consents are for what is there.

    A helper may work in a worktree, where it can change what the same command would start.
    """
    ours, others = texts.folders.project, texts.folders.untrusted
    return ours[0] if ours and workspace.root not in (*ours, *others) else workspace.root


def _dropped(used: UsedServer) -> Sequence[str]:
    known = used.server.known or Discovery()
    changed = [CHANGED.format(tool.name, used.name) for tool in known.changed]
    return [f"{used.name}: {line}" for line in (*known.dropped, *changed)]
