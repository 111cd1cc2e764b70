"""The table of ports: one row for each port that a room may need, and the service that implements it.

It is a table rather than a `match`, so that each row is one line and adds no branch (docs/decisions/430).
"""

import os
from collections import deque
from collections.abc import Callable, Collection, Mapping, MutableMapping, Sequence
from functools import lru_cache, partial

from agls.assembly.accounts import UserKeys, UserTrust
from agls.assembly.agent_store import FolderAgents
from agls.assembly.consents import FolderConsents
from agls.assembly.editor_notebooks import AskedNotebooks
from agls.assembly.folder_texts import SessionTexts, taken_names
from agls.assembly.instruction_folders import instruction_files
from agls.assembly.notebook_snapshots import NotebookSnapshots
from agls.assembly.sandbox import RunSandbox
from agls.assembly.services import RunServices
from agls.checkup import for_action
from agls.config import (
    AgentDefinition,
    Config,
    ConfigError,
    agent_memory,
    given_secrets,
    key_of_host,
    project_memory,
    tier_of,
    user_memory,
)
from agls.config.recall import REMEMBERED, recalled
from agls.engine import background, ports, spawning
from agls.engine.actions import ActionError
from agls.engine.facts import Noted
from agls.engine.run_action import NO_PROMPT, actions
from agls.engine.state import State
from agls.frozen import frozen
from agls.instruction_files import InstructionFiles
from agls.instruction_files.folder_texts import FolderTexts
from agls.language_servers import FolderServers
from agls.models.http.post import post
from agls.prompt_files.agent_store import AgentStore
from agls.room import OnUse, code_ports, folder_ports, process_ports, run_ports, session_ports, web_ports
from agls.room.budgets import Allowance, BudgetRegistry
from agls.room.exposed import OutputShare, PageBounds, PermissionRules, RunCeiling, ToolPolicy
from agls.room.folder_ports import WORKTREE, Worktree
from agls.room.hook_ports import HookPorts
from agls.room.mcp_ports import (
    AgentServers,
    GivenInputs,
    GivenServer,
    McpServer,
    McpServers,
    ModelUse,
    ServerCalls,
    ServerConsent,
    ServerDefinition,
)
from agls.room.memory_ports import MemoryFiles
from agls.room.notebook_ports import EditorNotebooks
from agls.room.offers import Consents
from agls.room.permission_memory import PermissionMemory
from agls.room.process_ports import AgentEntry
from agls.room.sandbox_ports import CommandSandbox
from agls.room.skill_ports import SkillPorts
from agls.room.whole_outputs import WholeOutputs
from agls.web.limits import PageLimits
from agls.workspace import machine_facts
from agls.workspace.command_traces import CommandTraces
from agls.workspace.environment import allowed_names
from agls.workspace.git_commands import FolderGit
from agls.workspace.git_state import NO_GIT, GitState, head_of
from agls.workspace.shell_facts import FolderShellFacts
from agls.workspace.uncommitted import uncommitted

PDF_READER = OnUse("agls.assembly.pdf_reader", "ProcessPdfReader")  # of runs: a session begins without it
PLUGINS = OnUse("agls.assembly.plugin_shelf", "UserPlugins")  # the same
INPUTS = OnUse("agls.assembly.given_inputs", "SessionInputs")  # few folders have servers
WORKTREES = OnUse("agls.workspace.worktrees", "GitWorktrees")  # few helpers work in one
HOOKED_WORKTREES = OnUse("agls.assembly.hooked_worktrees", "HookedWorktrees")  # the same
OUTLINER = OnUse("agls.outline.outliner", "ProgramOutliner")  # the same


@frozen
class SessionScratch:
    """Implements `ScratchFolder`: makes the folder of one session."""

    run: RunServices

    async def make(self) -> None:
        """Make the folder. **Raises** `OSError`."""
        await self.run.process.scratch.make(self.run.info.session_id)


@frozen
class SessionOutputs:
    """Implements `OutputFolder`: keeps outputs in the scratch folder of one session, where it has one."""

    run: RunServices

    async def keep(self, name: str, text: str, most: int) -> str:
        """Keep an output. **Raises** `OSError`."""
        if not self.run.scratch:
            return ""
        return str(await self.run.process.scratch.keep(self.run.info.session_id, name, text, most))

    async def extend(self, name: str, data: bytes, size: int) -> str:
        """Write at the end of a file. **Raises** `OSError`."""
        if not self.run.scratch:
            return ""
        return await self.run.process.scratch.extend(self.run.info.session_id, name, data, size)


@frozen
class SessionMcpServers:
    """Implements `McpServers` for the session of a run, and for those that work for it."""

    run: RunServices

    @property
    def forms(self) -> session_ports.Forms:
        """Who may be asked."""
        return self.run.session.session.questions

    @property
    def model_use(self) -> ModelUse:
        """How a server's question gets an answer of the model."""
        log = self.run.session.session.log
        return ModelUse(self.run.models, self.run.session.record.spend, lambda: log.state)

    @property
    def points(self) -> run_ports.HookPoints:
        """Where hooks see what servers ask."""
        return self.run.points.get()

    @property
    def calls(self) -> ServerCalls:
        """The calls of other rooms."""
        return self.run.server_calls

    def forbids(self, tool: str) -> str:
        """**Returns** why a rule or a policy forbids the tool of a name, "" when none does."""
        rules, policy = self.run.config.exposed(PermissionRules), self.run.config.exposed(ToolPolicy)
        effects = frozenset({ports.Effect.EXECUTES})
        return rules.denial_of(tool) or policy.denial(SessionTexts(self.run), tool, effects)

    @property
    def environment(self) -> Mapping[str, str]:
        """The variables of the process."""
        return self.run.setup.environment

    @property
    def keys(self) -> Collection[str]:
        """The keys of the user's models; what was given for a server is none."""
        return frozenset(self.run.setup.held_keys) - given_secrets()

    @property
    def inputs(self) -> GivenInputs:
        """What the user gave for the inputs of files."""
        servers, info = self.run.process.mcp_servers(), self.run.info
        return INPUTS(servers.inputs, servers.declined, info.works_for or info.session_id)

    @property
    def read(self) -> MutableMapping[tuple[str, str], int]:
        """The resources that the session read."""
        return self.run.process.mcp_servers().read.setdefault(self.run.info.session_id, {})

    @property
    def given(self) -> Sequence[GivenServer]:
        """Those that the client brought."""
        known, info = self.run.process.given_servers, self.run.info
        return known.get(info.session_id) or known.get(info.works_for, ())

    @property
    def of_agent(self) -> AgentServers:
        """Those that the definition of its agent brings."""
        info = self.run.info
        name = str(info.options.get("agent", ""))
        return AgentServers(name, info.session_id, self.run.agent.own_servers)

    @property
    def off(self) -> Collection[str]:
        """The names of those that the user switched off."""
        return self.run.process.mcp_servers().switches.off

    def switch(self, name: str, *, on: bool) -> bool:
        """Switch a server on or off. **Raises** `OSError`."""
        return self.run.process.mcp_servers().switches.switch(name, on=on)

    def get(self, definition: ServerDefinition, consent: ServerConsent | None = None) -> McpServer:
        """**Returns** the server with this definition."""
        return self.run.process.mcp_servers().get(definition, consent)

    def release(self, definition: ServerDefinition) -> None:
        """End the server with this definition, where it runs."""
        self.run.process.mcp_servers().release(definition)


@frozen
class SessionMode:
    """Implements `ModeControl` for the session of a run."""

    run: RunServices

    def of(self, state: State) -> str:
        """**Returns** the mode that holds."""
        configured = self.run.config.exposed(PermissionRules).mode
        return self.run.session.choices.mode_of(state, configured)

    async def change(self, mode: str, *, by_user: bool) -> None:
        """Set the mode of the session. **Raises** `ActionError`."""
        await self.run.session.control.set({"mode": mode}, by_user=by_user)


@frozen
class SessionWorktrees:
    """Implements `Worktrees` for the folder of a session."""

    run: RunServices
    points: run_ports.HookPoints

    async def make(self, name: str, *, held: bool = True) -> Worktree:
        """Make a worktree, or take one that was kept. **Raises** `WorkspaceError`."""
        return await self._worktrees.make(name, held=held)

    async def all(self) -> Sequence[folder_ports.KeptWorktree]:
        """**Returns** those that are there. **Raises** `WorkspaceError`."""
        return await self._worktrees.all()

    async def remove(self, name: str) -> str:
        """Remove a clean one. **Returns** the branch that stays. **Raises** `WorkspaceError`."""
        return await self._worktrees.remove(name)

    @property
    def _worktrees(self) -> folder_ports.Worktrees:
        folder = self.run.folder  # also where the session works in one of them
        of_git = WORKTREES(FolderGit(folder, trusted=self.run.is_trusted), folder.root)
        return HOOKED_WORKTREES(of_git, self.points, folder.root)


def _surroundings(run: RunServices) -> folder_ports.Surroundings:
    return folder_ports.Surroundings(
        now=run.process.clock.now,
        mode_of=SessionMode(run).of,
        scratch="" if run.info.is_small else run.scratch,
        trusted=run.is_trusted,
        door=run.process.door,
        attended=run.process.lasting,
        worktrees=SessionWorktrees(run, run.points.get()),
    )


def _machine(run: RunServices) -> folder_ports.Machine:
    return partial(_facts_of_machine, tuple(run.setup.environment.items()))


@lru_cache(maxsize=4)  # every run asks, and the environment of a process stays the same
def _facts_of_machine(variables: tuple[tuple[str, str], ...]) -> folder_ports.MachineFacts:
    environment = dict(variables)
    programs = machine_facts.programs(environment.get("PATH", ""))
    named = machine_facts.user(environment), machine_facts.shell(environment)
    return folder_ports.MachineFacts(machine_facts.system(), *named, programs, allowed_names(environment))


@frozen
class FolderRepository:
    """Implements `Repository` for the folder of a run."""

    run: RunServices

    def known(self) -> GitState | None:
        """**Returns** what is known."""
        return self.run.process.git_states.known(self.run.workspace.root) if self._is_trusted() else NO_GIT

    async def look(self) -> GitState:
        """Ask git, in a folder that is trusted."""
        workspace = self.run.workspace
        return (
            await self.run.process.git_states.look(workspace.root, workspace)
            if self._is_trusted()
            else NO_GIT
        )

    def head(self) -> str:
        """**Returns** where HEAD is, in a folder that is trusted."""
        return head_of(self.run.workspace.root) if self._is_trusted() else ""

    def _is_trusted(self) -> bool:
        return self.run.is_trusted


def _known_agents(run: RunServices) -> process_ports.KnownAgents:
    return recalled(_agents, (run.config, run.agent), partial(_agents_for, run.config, run.agent))


_agents: deque[tuple[tuple[Config, AgentDefinition], process_ports.KnownAgents]] = deque(maxlen=REMEMBERED)


def _agents_for(config: Config, agent: AgentDefinition) -> process_ports.KnownAgents:
    known = ((name, config.agents[name]) for name in agent.agents)
    entries = (
        AgentEntry(
            name,
            one.description,
            bool(one.tier),
            has_tool=one.has_tool,
            may_wait=one.within_caller,
            mode=one.mode,
            effort=one.effort,
            background=one.background,
            is_isolated=one.isolation == WORKTREE,
        )
        for name, one in known
    )
    return process_ports.KnownAgents(tuple(entries), agent.only_reads)


def _memory(run: RunServices) -> PermissionMemory:
    traces = CommandTraces(run.workspace.real_roots)
    session, facts = run.session, run.session.session.log.journal
    forbids = partial(run.config.exposed(ToolPolicy).denial, SessionTexts(run))
    return PermissionMemory(session.grants, session.choices, run.process.own_files, traces, facts, forbids)


def _shell_facts(run: RunServices) -> FolderShellFacts:
    return FolderShellFacts(run.workspace, is_trusted=run.is_trusted)


def _memory_files(run: RunServices) -> MemoryFiles:
    above = run.folder.folders_above
    folder = above[0] if above else run.folder.root
    real = os.path.realpath(folder) if above else run.folder.real_root
    place = run.setup.config_file
    files = run.process.own_files
    name, scope = str(run.info.options.get("agent", "")), run.agent.memory
    has_own = bool(scope) and (scope == "user" or run.is_trusted)
    own = (agent_memory(place, real, (name, scope), files),) if has_own else ()
    return MemoryFiles(user_memory(place, files), project_memory(place, real, files), folder, own)


def _ceilings(run: RunServices) -> run_ports.Ceilings:
    return run_ports.Ceilings(run.bounds.allowance.most, run.config.exposed(RunCeiling).ceiling)


def _uncommitted(run: RunServices) -> folder_ports.Uncommitted:
    is_trusted = run.is_trusted  # else git must not read its settings
    return partial(uncommitted, run.workspace) if is_trusted else nothing_uncommitted


def _git(run: RunServices) -> FolderGit:
    return FolderGit(run.workspace, trusted=run.is_trusted)


async def nothing_uncommitted() -> str:
    """Stand for a folder that nobody trusts."""
    return ""


def _page_reader(run: RunServices) -> web_ports.PageReader:
    settings = run.config.exposed(PageBounds)
    limits = PageLimits(
        most=settings.max_bytes,
        seconds=settings.timeout_s,
        keep=settings.cache_s,
        private_hosts=frozenset(settings.private_hosts),
    )
    return partial(run.process.web.read, limits)


def _key_finder(run: RunServices) -> web_ports.KeyFinder:
    async def find(variable: str, host: str) -> str:
        try:
            return await key_of_host(run.setup, variable, host)
        except ConfigError as problem:
            raise web_ports.WebError(str(problem)) from None

    return find


def _examiner(run: RunServices) -> process_ports.Examiner:
    def packages(config: Config) -> Sequence[process_ports.PythonPlugin]:
        from agls.assembly.python_plugins import python_plugins  # noqa: PLC0415 - few users have any

        return python_plugins(config, run.process.broken_packages())

    return for_action(run.setup, packages)


def _code_servers(run: RunServices) -> FolderServers:
    return FolderServers(
        run.process.language_servers,
        run.workspace,
        run.is_trusted,
        run.info.session_id,
        RunSandbox(run).enter_read_only,
    )


def _pdf_reader(run: RunServices) -> folder_ports.PdfReader:
    return PDF_READER(run.process.processes)


def _outliner(run: RunServices) -> code_ports.Outliner:
    return OUTLINER(run.process.processes)


def _output_limits(run: RunServices) -> session_ports.OutputLimits:
    return run.config.exposed(OutputShare).limits(run.info.window)


def _known_models(run: RunServices) -> session_ports.KnownModels:
    def knows(name: str) -> bool:
        try:
            models = run.session.control.models()
        except ActionError:  # no run can begin, which says why
            return False
        return name in run.config.tiers or any(name == model.name for model in models)

    return session_ports.KnownModels(knows)


def _hook_ports(run: RunServices) -> HookPorts:
    mode, files = SessionMode(run), SessionOutputs(run)
    session = run.session.session
    return HookPorts(
        run.info,
        mode,
        run.folder,
        run.process.web.ask,
        files,
        run.models,
        run.session.record.spend,
        lambda room, kind, data: session.log.record(Noted(room, kind, data)),
        session.log.show,
        session.spawn,
        run.server_calls,
        run.session.children,
    )


def _skill_ports(run: RunServices) -> SkillPorts:
    known = _known_agents(run), _known_models(run)
    return SkillPorts(run.info, run.workspace, _memory(run), *known, run.session.record, FolderConsents(run))


def _offer(run: RunServices) -> session_ports.SessionOffer:
    session = run.session.session
    return session_ports.SessionOffer(
        lambda: actions(session), lambda: [tool.spec for tool in session.run_setup(NO_PROMPT).tools]
    )


def _tool_names(run: RunServices) -> run_ports.ToolNames:
    built = tuple(run.built)
    return run_ports.ToolNames(lambda: frozenset(tool.spec.name for each in built for tool in each.tools))


def run_tools(run: RunServices) -> run_ports.RunTools:
    """**Returns** the place for the tools of a run; they come when all rooms are built."""
    return run_ports.RunTools()


def _notebooks(run: RunServices) -> AskedNotebooks:
    return AskedNotebooks(run.workspace.editor, run.info.session_id)


Need = Callable[[RunServices], object]
BY_PLACE: frozenset[Need] = frozenset({_tool_names, taken_names})
"""These say what the rooms before have: they are made for each room that needs them."""

PORTS: Mapping[type, Need] = {
    # of the process
    ports.Clock: lambda run: run.process.clock,
    folder_ports.BlobStore: lambda run: run.process.storage.blobs,
    process_ports.AuditFile: lambda run: run.process.storage.write,
    process_ports.Post: lambda _: post,
    process_ports.ToolClient: lambda run: run.process.client,
    process_ports.KeptKeys: UserKeys,
    process_ports.TrustedFolders: UserTrust,
    McpServers: SessionMcpServers,
    process_ports.PluginShelf: PLUGINS,
    process_ports.HeldKeys: lambda run: lambda: run.setup.held_keys,
    process_ports.Examiner: _examiner,
    EditorNotebooks: _notebooks,
    folder_ports.PdfReader: _pdf_reader,
    web_ports.ServiceCaller: lambda run: run.process.web.ask,
    web_ports.KeyFinder: _key_finder,
    BudgetRegistry: lambda run: run.process.budgets,
    # of the session
    ports.Asker: lambda run: run.session.session.questions,
    session_ports.Forms: lambda run: run.session.session.questions,
    background.Background: lambda run: run.session.session.background,
    spawning.Spawner: lambda run: run.session.children,
    session_ports.Ancestors: lambda run: session_ports.Ancestors(run.session.above),
    session_ports.SessionRecord: lambda run: run.session.record,
    session_ports.SessionFacts: lambda run: run.session.session.log.journal,
    session_ports.SessionControl: lambda run: run.session.control,
    session_ports.Approval: lambda run: session_ports.Approval(
        run.session.session.questions, SessionMode(run)
    ),
    process_ports.SettingsStore: lambda run: run.session.settings,
    session_ports.SessionOffer: _offer,
    session_ports.ScratchFolder: SessionScratch,
    session_ports.OutputFolder: SessionOutputs,
    PermissionMemory: _memory,
    Consents: FolderConsents,
    # of the run
    run_ports.RunInfo: lambda run: run.info,
    HookPorts: _hook_ports,
    SkillPorts: _skill_ports,
    ports.Workspace: lambda run: run.workspace,
    CommandSandbox: RunSandbox,
    folder_ports.Revealer: lambda run: run.workspace,
    process_ports.ShellFacts: _shell_facts,
    folder_ports.Uncommitted: _uncommitted,
    folder_ports.GitCommands: _git,
    folder_ports.Diagnostics: lambda run: partial(run.workspace.diagnostics, run.info.session_id),
    code_ports.CodeServers: _code_servers,
    code_ports.Outliner: _outliner,
    folder_ports.FileSnapshots: lambda run: NotebookSnapshots(run.workspace.snapshots, _notebooks(run)),
    process_ports.Leftovers: lambda run: process_ports.Leftovers(
        (run.workspace.clean, run.process.storage.tidy)
    ),
    ports.ModelResolver: lambda run: run.models,
    process_ports.Tiers: lambda run: process_ports.Tiers(
        frozenset(run.config.tiers), partial(tier_of, run.config.agents)
    ),
    process_ports.KnownAgents: _known_agents,
    folder_ports.Surroundings: _surroundings,
    folder_ports.Machine: _machine,
    folder_ports.Repository: FolderRepository,
    MemoryFiles: _memory_files,
    InstructionFiles: instruction_files,
    FolderTexts: SessionTexts,
    AgentStore: FolderAgents,
    session_ports.TakenNames: taken_names,
    session_ports.KnownModels: _known_models,
    run_ports.Ceilings: _ceilings,
    session_ports.OutputLimits: _output_limits,
    WholeOutputs: lambda run: WholeOutputs(SessionOutputs(run), _output_limits(run)),
    run_ports.Remaining: lambda run: partial(run.process.budgets.left, run.info.session_id),
    run_ports.ToolNames: _tool_names,
    run_ports.RunTools: run_tools,
    run_ports.HookPoints: lambda run: run.points.get(),
    web_ports.PageReader: _page_reader,
    Allowance: lambda run: run.bounds.allowance,
}
