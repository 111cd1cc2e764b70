"""The parts that one process works with: sessions, store, connections, processes. Opened and closed here."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agls.assembly import (
    BeginTyped,
    Export,
    FileSettings,
    OpenSessionControl,
    Plans,
    ProcessServices,
    Rooms,
    RunServices,
    SessionLog,
    SessionServices,
    begin_nothing,
    complete,
    expand,
    export_nothing,
    features,
    let_end,
    load,
    screen,
    withheld_file,
)
from agls.config import (
    EDITOR,
    PROGRAM,
    AgentDefinition,
    Choice,
    Config,
    ConfigError,
    FolderGrants,
    GuardedFiles,
    ModelCatalog,
    Seal,
    Setup,
    Usual,
    agent_of,
    allowed_tools,
    bounds_of,
    check_folder,
    look_for_keys,
)
from agls.engine.children import Children
from agls.engine.facts import Admitted, Entry, SessionChanged
from agls.engine.feature import RunSetup
from agls.engine.ports import ModelClient, ModelError, ModelInfo, process_id
from agls.engine.recovery import left_of
from agls.engine.run_action import NO_PROMPT, ONLY_ACTIONS
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import inherited_options
from agls.engine.vocabulary import JsonObject
from agls.language_servers import LanguageServers
from agls.models.editor_host import NO_EDITOR, EditorModelHost
from agls.modes import Mode
from agls.redaction import without_keys
from agls.room import Completions, GivenText, OnUse, Piece, Room, Typing
from agls.room.budgets import BudgetRegistry
from agls.room.exposed import (
    InlineModels,
    ModelAdvice,
    PermissionRules,
    ScratchChoice,
    ServerReading,
    SmallContext,
)
from agls.room.folder_ports import WORKTREE
from agls.room.mcp_ports import GivenServer
from agls.room.mode_choices import Choices, SessionChoices, check
from agls.room.process_ports import NO_CLIENT, ToolClient
from agls.room.run_ports import RunInfo
from agls.stores.memory import MemoryStore
from agls.stores.scratch import Scratch
from agls.stores.storage import in_memory, on_disk
from agls.web.access import WebAccess
from agls.workspace.clock import SystemClock
from agls.workspace.editor import Editor
from agls.workspace.paths import Own
from agls.workspace.processes import Processes
from agls.workspace.sandbox.on_use import SandboxesOnUse
from agls.workspace.workspace import OpenWorkspace

if TYPE_CHECKING:
    from agls.inline_edit import InlineEditor
    from agls.mcp_servers import SharedServers

NO_WORKTREE = "The worktree {} is gone: make it again (git worktree add), or go on in another session."
UNUSABLE = "The Python plugin {} cannot be used: {}."
CLEANED = OnUse("agls.engine.cleaning", "cleaned")  # a session has to be at work first
Reread = Callable[[Setup], Setup]


def as_it_is(setup: Setup) -> Setup:
    """Return the same setup: a process that ends soon reads its files once."""
    return setup


def _check_places(folder: str, options: JsonObject) -> None:
    """Refuse to work where there is no folder (any more). **Raises** `ConfigError`."""
    check_folder(folder)
    if (apart := str(options.get(WORKTREE, ""))) and not Path(apart).is_dir():
        raise ConfigError(NO_WORKTREE.format(apart))


class World:
    """The parts that one process works with.

    `setup` may be replaced: runs that begin later work with the new one. `reread` is asked for it before each
    of them, `reload` when the user wants all settings read again. `export` makes a file of a session,
    `begin_typed` begins the run that a typed text is for. `rooms` are those that runs have from the next one
    on. The user `is_at_keyboard` where they typed every command themselves: what these choose, a person
    chose.
    """

    def __init__(
        self,
        setup: Setup,
        editor: Editor,
        client: ToolClient,
        *,
        models: EditorModelHost,
        headless: bool,
        usual: Usual,
    ) -> None:
        self.setup = setup
        self._editor = editor
        self._usual = usual
        self.is_at_keyboard = False
        self.reread: Reread = as_it_is
        self.reload: Reread = as_it_is
        self.export: Export = export_nothing
        self.begin_typed: BeginTyped = begin_nothing
        self.rooms, self._plans = Rooms(), Plans()
        self._processes, self._choice = Processes(setup.environment), Choice(lambda: self.setup, models)
        keeps = partial(on_disk, setup.state_folder, lambda: self.setup.secrets)
        self.storage = keeps() if setup.keeps else in_memory()
        self._loaded = False
        self._screened: RunServices | None = None  # with which the last prompt was screened
        self._checked: object = None  # the last that a run could begin with; most begin alike
        clock, own_files = SystemClock(), GuardedFiles(setup.state_folder, setup.config_file)
        self._process = ProcessServices(
            clock=clock,
            storage=self.storage,
            scratch=Scratch(setup.state_folder),
            client=client,
            budgets=BudgetRegistry(self.storage.ledger, clock.now),
            choices=Choices(),
            own_files=own_files,
            seal=Seal(own_files),
            web=WebAccess(self._processes),
            processes=self._processes,
            lasting=not headless,
            door=editor.name,
            language_servers=LanguageServers(setup.environment),
            mcp_servers=lambda: self._mcp_servers,
            given_servers={},
            sandboxes=SandboxesOnUse(f"{setup.state_folder}/sandbox" if setup.keeps else ""),
            broken_packages=lambda: self.rooms.broken,
        )
        self.missing_consents = self._process.missing_consents
        self.sessions = Sessions(
            self.storage.sessions,
            self._build_run,
            clock,
            lambda told: CLEANED(told, partial(without_keys, self.setup.held_keys)),
        )
        self.sessions.on_open = self._reopen
        self.sessions.at_end = self._end

    def renew(self, setup: Setup) -> None:
        """Let runs that begin later work with other settings."""
        self.setup = setup

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """Return the model of a run in `folder`: the named one, the default, or one found on this machine.

        **Raises** `ConfigError` (nothing is configured, or it is wrong) and `ModelError` (no such model).
        """
        self._renew()
        return await self._choice.model(folder, name)

    def models(self, folder: str) -> tuple[ModelInfo, ...]:
        """Return all models that can be named in `folder`, the default first. **Raises** `ConfigError`."""
        self._renew()
        return self._choice.known(folder)

    def prepare(self, folder: str) -> None:
        """Load what the first run in `folder` needs, as it takes a while."""
        with suppress(ConfigError, ModelError):  # the first request raises it again
            loaded = self.setup.load(folder)
            self.rooms.follow(loaded.config)
            self._choice.resolver(loaded).resolve("")
        if not self._loaded:
            self._loaded = True
            self.sessions.spawn(self._load())

    async def _load(self) -> None:
        for _ in load(self.rooms):
            await asyncio.sleep(0)  # what came meanwhile goes first

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Refuse options (the session's and the run's) that a run could not begin with.

        **Raises** `ConfigError`.
        """
        _check_places(folder, options)
        try:
            loaded = self.setup.load(folder)
            bounds_of(loaded, options, {}, usual=self._usual)
            self.rooms.follow(loaded.config)
            for room in self.rooms:
                room.check(loaded.config.section(room), options)
        except ValueError as problem:
            raise ConfigError(str(problem)) from None

    def check_mode(self, folder: str, options: JsonObject, *, by_user: bool) -> None:
        """Refuse a mode that widens what runs unasked in a folder nobody trusts.

        It is accepted when a person chose it (`by_user`). **Raises** `UntrustedMode`.
        """
        chosen = by_user or self.is_at_keyboard
        check(options, folder, trusted=self.setup.trusts_folder(folder), by_user=chosen)

    def choose(self, session_id: str, options: JsonObject) -> None:
        """Remember the mode that was chosen, with these options, for a session or for one of its runs."""
        self._process.choices.choose(session_id, options)

    def serve(self, session: Session, servers: Sequence[JsonObject]) -> Sequence[GivenServer]:
        """Give a session the servers that its client brings. **Returns** each, or what is wrong with it.

        **Raises** `ConfigError`.
        """
        given = self.setup.load(session.state.cwd).config.exposed(ServerReading).read_given(servers)
        self._process.given_servers[session.session_id] = given
        return given

    def sketch(self, folder: str, session_id: str = "sketch", entries: Sequence[Entry] = ()) -> Session:
        """Return a session of `folder` as it would be with these entries, to see what it offers.

        Nothing of it is kept. A use of it may still fail.
        """
        journal = MemoryStore().create(session_id)
        journal.append(*entries)
        return self.sessions.sketch(journal, folder)

    async def screen(self, session: Session, given: GivenText) -> tuple[Piece, ...]:
        """Return what goes with a text that somebody gives. **Raises** `ConfigError`, `PromptRefused`."""
        self._screened = self._services(session, NO_PROMPT)
        return tuple(await screen(self.rooms.screening, self._screened, given))

    async def expand(self, session: Session, text: str) -> tuple[Piece, ...]:
        """Return the meaning of a typed text besides its words. **Raises** `ConfigError`."""
        run = self._services(session, NO_PROMPT)
        return tuple(await expand(self.rooms.expanding, run, text))

    def withheld_file(self, session: Session, name: str) -> str:
        """Return the file that makes this command, in a folder that nobody trusts; "" for none."""
        run = self._services(session, NO_PROMPT)
        return withheld_file(self.rooms, run, name)

    async def complete(self, session: Session, typing: Typing) -> Completions:
        """Return the completions that the rooms have for a prompt. **Raises** `ConfigError`."""
        run = self._services(session, NO_PROMPT)
        return await complete(self.rooms.completing, run, typing)

    def inline(self, session: Session) -> "tuple[InlineEditor, OpenWorkspace]":
        """Return what edits at the cursor, and what it sees. **Raises** `ConfigError`, `ModelError`."""
        from agls.inline_edit import InlineEditor  # noqa: PLC0415 - a session begins without it
        from agls.room.day_budget import DayBudget  # noqa: PLC0415 - as above

        run = self._services(session, NO_PROMPT)
        choice = run.config.exposed(InlineModels)
        budget = DayBudget(process_id(), run.bounds.allowance, self._process.budgets)
        editor = InlineEditor(run.models, choice, budget, lambda: self.setup.held_keys)
        return editor, run.workspace

    async def check(self, folder: str, options: JsonObject) -> None:
        """Check that a run in `folder` could begin with these options.

        **Raises** `ConfigError`, `ModelError`.
        """
        _check_places(folder, options)
        self._renew()
        setup = self.setup
        loaded = setup.load(folder)
        asked = (setup, loaded, folder, repr(options))
        if asked == self._checked:
            kept = dict(setup.kept)
            await look_for_keys(setup, loaded)  # one may have come, or gone
            if kept == setup.kept:
                return
        self.check_options(folder, options)
        await self.model(folder, str(options.get("model", "")))
        self._checked = asked

    def offered(self, folder: str) -> ModelCatalog:
        """Return the models configured for `folder`, or found, complete or not. **Raises** `ConfigError`."""
        return self._choice.offered(folder)

    def notes(self, folder: str, *, trouble_only: bool = False) -> tuple[str, ...]:
        """Return the notes for the user on the configuration for `folder`. **Raises** `ConfigError`."""
        packages = (UNUSABLE.format(name, problem) for name, problem in self.rooms.broken.items())
        return (*self._choice.notes(folder, trouble_only=trouble_only), *packages)

    async def aclose(self) -> None:
        """End the processes and the connections; the sessions are closed before."""
        if "_mcp_servers" in vars(self):
            await self._mcp_servers.aclose()
        await self._process.language_servers.aclose()
        await self._processes.aclose()
        await self._choice.aclose()

    @cached_property
    def _mcp_servers(self) -> "SharedServers":
        from agls.config.input_values import InputValues  # noqa: PLC0415 - as below
        from agls.mcp_servers import Logins, Pins, SharedServers, Switches  # noqa: PLC0415 - a session begins without it

        setup = self.setup
        folder = setup.state_folder if setup.keeps else None
        pins = Pins(folder, self._process.seal)
        inputs = InputValues(folder, self._process.seal)
        return SharedServers(setup.environment, pins, Logins(folder), Switches(folder), inputs)

    def forget_texts(self) -> None:
        """Have every text that people wrote for agents looked for again, by the next that needs one."""
        self._process.surveys.clear()

    def _renew(self) -> None:
        """Take in the user's changes of the configuration. **Raises** `ConfigError`."""
        if not self._process.own_files.changed:  # a command may have written an address into the config file
            self.setup = self.reread(self.setup)

    def _build_run(self, session: Session, admitted: Admitted) -> RunSetup:
        run = self._services(session, admitted)
        self._screened = None
        rooms, for_list = self._rooms_for(admitted), admitted is ONLY_ACTIONS
        plan = self._plans.of(rooms, run.config, run.agent, for_list=for_list)
        limits = left_of(session.state, admitted, run.bounds.limits, run.bounds.asked)
        if admitted is NO_PROMPT:
            from agls.assembly.action_models import ActionBudget, ActionModels  # noqa: PLC0415 - no run needs it

            budgets, state = self._process.budgets, lambda: session.state
            budget = ActionBudget(session.session_id, state, limits, run.bounds.allowance, budgets)
            run = replace(run, models=ActionModels(run.models, budget))
        return RunSetup(
            features=features(plan, run), models=run.models, workspace=run.workspace, limits=limits
        )

    def _rooms_for(self, admitted: Admitted) -> Sequence[Room[Any]]:
        if admitted is ONLY_ACTIONS:
            return self.rooms.acting
        return self.rooms.all if admitted is NO_PROMPT else self.rooms.in_runs

    def _services(self, session: Session, admitted: Admitted) -> RunServices:
        state, setup = session.state, self.setup
        loaded = setup.load(state.cwd)
        config, process = loaded.config, self._process
        self.rooms.follow(config)
        options = {**state.options, **inherited_options(state, admitted.options, admitted.recovers)}
        agent = agent_of(config.agents, options)
        models = self._choice.resolver(loaded, agent.tier)
        chosen = str(options.get("model", ""))
        window = models.window(chosen)
        model = models.model_name(chosen)
        is_small = config.exposed(SmallContext).applies(window)
        keeps_scratch = config.exposed(ScratchChoice).enabled
        scratch = str(process.scratch.path(session.session_id)) if keeps_scratch else ""
        screened = self._screened
        if screened and screened.fits(session, config, scratch):
            folder, workspace = screened.folder, screened.workspace
            services = screened.session
        else:
            folder = workspace = self._workspace(state.cwd, state.roots, config, scratch)
            if apart := str(options.get(WORKTREE, "")):
                workspace = self._workspace(apart, (), config, scratch)
            services = self._session_services(session, folder.root)
        return RunServices(
            process=process,
            session=services,
            setup=setup,
            config=config,
            agent=agent,
            bounds=bounds_of(loaded, options, admitted.options, usual=self._usual),
            workspace=workspace,
            folder=folder,
            is_trusted=setup.trusts_folder(folder.root),
            models=models,
            info=RunInfo(
                session_id=session.session_id,
                run_id=admitted.run_id,
                state=state,
                works_for=state.parent if state.parent_item else "",
                options=options,
                prompt=agent.prompt,
                initial_prompt=agent.initial_prompt,
                hooks=dict(agent.hooks),
                handoffs=agent.offered_handoffs,
                window=window,
                is_small=is_small,
                model=model,
                advice=config.exposed(ModelAdvice).advice(model, is_small=is_small),
                lasting=process.lasting,
                answers=self._usual.answers,
            ),
            scratch=scratch,
            tools=allowed_tools(agent, self._callers(session, config)),
        )

    def _callers(self, session: Session, config: Config) -> Iterator[AgentDefinition]:
        """Yield the agents of the sessions that this one works for, as far as they are known today."""
        for above in self.sessions.above(session):
            with suppress(ValueError):
                yield agent_of(config.agents, above.state.settings)
            yield from self._callers(above, config)

    def _workspace(self, folder: str, roots: Sequence[str], config: Config, scratch: str) -> OpenWorkspace:
        setup = self.setup
        own = Own(tuple(map(str, setup.own_places)), scratch, (str(setup.config_file),))
        hidden = config.exposed(PermissionRules).hidden()
        return OpenWorkspace(folder, roots, self._editor, self._processes, own, hidden)

    def _session_services(self, session: Session, folder: str) -> SessionServices:
        process, sessions = self._process, self.sessions
        return SessionServices(
            session=session,
            record=SessionLog(session.log),
            children=Children(sessions, session),
            above=tuple(Children(sessions, one) for one in sessions.above(session)),
            choices=SessionChoices(process.choices, self._lineage(session)),
            grants=FolderGrants(process.own_files, process.seal, folder, session.session_id),
            control=OpenSessionControl(session, sessions, self),
            settings=FileSettings(folder, process.own_files, self),
        )

    def _lineage(self, session: Session) -> tuple[str, ...]:
        """Return the session, behind those that it works for."""
        above = self.sessions.above(session)
        return (*(each for one in above for each in self._lineage(one)), session.session_id)

    async def _end(self, session: Session, reason: str) -> None:
        """Let the rooms see the end of a session that was worked in here, and of no helper."""
        if session.log.is_whole and not session.outline.parent_item:
            with suppress(ConfigError, ModelError):  # whoever began a run was told
                await let_end(self.rooms.ending, self._services(session, NO_PROMPT), reason)

    def _reopen(self, session: Session) -> None:
        """Take a wider mode than the configured one back that was chosen before the session was closed."""
        configured: Mode = "ask"
        with suppress(ConfigError):  # beginning a run raises it again
            configured = self.setup.load(session.outline.cwd).config.exposed(PermissionRules).mode
        if self._process.choices.reopen(session.session_id, session.outline, configured):
            session.log.record(SessionChanged(options={"mode": None}))


@asynccontextmanager
async def open_world(
    setup: Setup,
    *,
    editor: Editor,
    headless: bool,
    usual: Usual | None = None,
    client: ToolClient = NO_CLIENT,
    models: EditorModelHost = NO_EDITOR,
) -> AsyncGenerator[World]:
    """Open the world; at the end of the block every session is closed and every process ended.

    `headless` is whether it is for one run that nobody reads along with. `usual` holds for a run for which
    nobody set a limit (by default that of a program, or else of an editor).
    """
    usual = usual or (PROGRAM if headless else EDITOR)
    world = World(setup, editor, client, models=models, headless=headless, usual=usual)
    try:
        async with world.sessions:
            yield world
    finally:
        await world.aclose()
