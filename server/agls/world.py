"""The parts that one process works with: sessions, store, connections, processes. Opened and closed here."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from agls.assembly import (
    ProcessServices,
    Rooms,
    RunServices,
    SessionLog,
    SessionServices,
    complete,
    expand,
    features,
)
from agls.config import (
    EDITOR,
    PROGRAM,
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
    bounds_of,
    check_folder,
    look_for_keys,
)
from agls.engine.children import Children
from agls.engine.facts import Admitted, SessionChanged
from agls.engine.feature import RunSetup
from agls.engine.ports import ModelClient, ModelError, ModelInfo
from agls.engine.recovery import left_of
from agls.engine.run_action import NO_PROMPT
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import State, inherited_options
from agls.engine.vocabulary import JsonObject
from agls.features import families, lean, permissions, scratchpad
from agls.features.permissions.rules import denied
from agls.features.subagents.delegates import hands_over
from agls.modes import Mode
from agls.room import Completions, Piece, Typing
from agls.room.budgets import BudgetRegistry
from agls.room.mode_choices import Choices, SessionChoices, check
from agls.room.ports import NO_CLIENT, RunInfo, ToolClient
from agls.stores.memory import MemoryStore
from agls.stores.scratch import Scratch
from agls.stores.storage import in_memory, on_disk
from agls.workspace.clock import SystemClock
from agls.workspace.editor import Editor
from agls.workspace.paths import Own
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace

Reread = Callable[[Setup], Setup]


def as_it_is(setup: Setup) -> Setup:
    """Return the same setup: a process that ends soon reads its files once."""
    return setup


class World:
    """The parts that one process works with.

    `setup` may be replaced: runs that begin later work with the new one. `reread` is asked for it before each
    of them. `rooms` are those that runs have from the next one on.
    """

    def __init__(
        self, setup: Setup, editor: Editor, client: ToolClient, *, headless: bool, usual: Usual
    ) -> None:
        self.setup = setup
        self._editor = editor
        self._usual = usual
        self.reread: Reread = as_it_is
        self.rooms = Rooms()
        self._processes, self._choice = Processes(setup.environment), Choice(lambda: self.setup)
        keeps = partial(on_disk, setup.state_folder, lambda: self.setup.secrets)
        self.storage = keeps() if setup.keeps else in_memory()
        self._checked: object = None  # the last that a run could begin with; most begin alike
        clock, own_files = SystemClock(), GuardedFiles(setup.state_folder, setup.config_file)
        self._process = ProcessServices(
            clock=clock,
            storage=self.storage,
            scratch=Scratch(setup.state_folder),
            client=client,
            budgets=BudgetRegistry(self.storage.ledger, clock.now, hands_over),
            choices=Choices(),
            own_files=own_files,
            seal=Seal(own_files),
            lasting=not headless,
        )
        self.sessions = Sessions(self.storage.sessions, self._build_run, clock)
        self.sessions.on_open = self._reopen

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
        """Load what the first question to the default model of `folder` needs, as it takes a while."""
        with suppress(ConfigError, ModelError):  # who asks it is told
            self._choice.resolver(self.setup.load(folder)).resolve("")

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Refuse options (the session's and the run's) that a run could not begin with.

        **Raises** `ConfigError`.
        """
        check_folder(folder)
        try:
            loaded = self.setup.load(folder)
            bounds_of(loaded, options, {}, usual=self._usual)
            for room in self.rooms:
                room.check(loaded.config.section(room), options)
        except ValueError as problem:
            raise ConfigError(str(problem)) from None

    def check_mode(self, folder: str, options: JsonObject, *, by_user: bool) -> None:
        """Refuse a mode that widens what runs unasked in a folder nobody trusts.

        It is accepted when a person chose it (`by_user`). **Raises** `UntrustedMode`.
        """
        check(options, folder, trusted=self.setup.trusts_folder(folder), by_user=by_user)

    def choose(self, session_id: str, options: JsonObject) -> None:
        """Remember the mode that was chosen, with these options, for a session or for one of its runs."""
        self._process.choices.choose(session_id, options)

    def sketch(self, folder: str) -> Session:
        """Return a session of `folder` as it would be, to see what it offers. A use of it may still fail."""
        return self.sessions.sketch(MemoryStore().create("sketch"), folder)

    async def expand(self, session: Session, text: str) -> tuple[Piece, ...]:
        """Return the meaning of a typed text besides its words. **Raises** `ConfigError`."""
        return tuple(await expand(self.rooms, self._services(session, NO_PROMPT), text))

    async def complete(self, session: Session, typing: Typing) -> Completions:
        """Return the completions that the rooms have for a prompt. **Raises** `ConfigError`."""
        return await complete(self.rooms, self._services(session, NO_PROMPT), typing)

    async def check(self, folder: str, options: JsonObject) -> None:
        """Check that a run in `folder` could begin with these options.

        **Raises** `ConfigError`, `ModelError`.
        """
        check_folder(folder)
        self._renew()
        setup = self.setup
        asked = (setup, setup.load(folder), folder, repr(options))
        if asked == self._checked:
            kept = dict(setup.kept)
            await look_for_keys(setup, folder)  # one may have come, or gone
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
        return self._choice.notes(folder, trouble_only=trouble_only)

    async def aclose(self) -> None:
        """End the processes and the connections; the sessions are closed before."""
        await self._processes.aclose()
        await self._choice.aclose()

    def _renew(self) -> None:
        """Take in the user's changes of the configuration. **Raises** `ConfigError`."""
        if not self._process.own_files.changed:  # a command may have written an address into the config file
            self.setup = self.reread(self.setup)

    def _build_run(self, session: Session, admitted: Admitted) -> RunSetup:
        run = self._services(session, admitted)
        limits = left_of(session.state, admitted, run.bounds.limits, run.bounds.asked)
        return RunSetup(
            features=features(self.rooms, run), models=run.models, workspace=run.workspace, limits=limits
        )

    def _services(self, session: Session, admitted: Admitted) -> RunServices:
        state, setup = session.state, self.setup
        loaded = setup.load(state.cwd)
        config, process = loaded.config, self._process
        options = {**state.options, **inherited_options(state, admitted.options, admitted.recovers)}
        agent = agent_of(config.agents, options)
        models = self._choice.resolver(loaded, agent.tier)
        chosen = str(options.get("model", ""))
        window = models.window(chosen)
        model = models.model_name(chosen)
        is_small = config.section(lean.ROOM).applies(window)
        keeps_scratch = config.section(scratchpad.ROOM).enabled
        scratch = str(process.scratch.path(session.session_id)) if keeps_scratch else ""
        workspace = self._workspace(state, config, scratch)
        return RunServices(
            process=process,
            session=self._session_services(session, workspace.root),
            setup=setup,
            config=config,
            agent=agent,
            bounds=bounds_of(loaded, options, admitted.options, usual=self._usual),
            workspace=workspace,
            models=models,
            info=RunInfo(
                session_id=session.session_id,
                run_id=admitted.run_id,
                state=state,
                works_for=state.parent if state.parent_item else "",
                options=options,
                prompt=agent.prompt,
                window=window,
                is_small=is_small,
                model=model,
                advice=config.section(families.ROOM).family(model, is_small=is_small).prompt,
                lasting=process.lasting,
                answers=self._usual.answers,
            ),
            scratch=scratch,
        )

    def _workspace(self, state: State, config: Config, scratch: str = "") -> OpenWorkspace:
        setup = self.setup
        own = Own(tuple(map(str, setup.own_places)), scratch, (str(setup.config_file),))
        hidden = denied(config.section(permissions.ROOM).deny)
        return OpenWorkspace(state.cwd, state.roots, self._editor, self._processes, own, hidden)

    def _session_services(self, session: Session, folder: str) -> SessionServices:
        process, sessions = self._process, self.sessions
        return SessionServices(
            session=session,
            record=SessionLog(session.log),
            children=Children(sessions, session),
            above=tuple(Children(sessions, one) for one in sessions.above(session)),
            choices=SessionChoices(process.choices, self._lineage(session)),
            grants=FolderGrants(process.own_files, process.seal, Path(folder), session.session_id),
        )

    def _lineage(self, session: Session) -> tuple[str, ...]:
        """Return the session, behind those that it works for."""
        above = self.sessions.above(session)
        return (*(each for one in above for each in self._lineage(one)), session.session_id)

    def _reopen(self, session: Session) -> None:
        """Take a wider mode than the configured one back that was chosen before the session was closed."""
        configured: Mode = "ask"
        with suppress(ConfigError):  # whoever begins a run is told
            configured = self.setup.load(session.state.cwd).config.section(permissions.ROOM).mode
        if self._process.choices.reopen(session.session_id, session.state, configured):
            session.log.record(SessionChanged(options={"mode": None}))


@asynccontextmanager
async def open_world(
    setup: Setup, *, editor: Editor, headless: bool, usual: Usual = PROGRAM, client: ToolClient = NO_CLIENT
) -> AsyncGenerator[World]:
    """Open the world; at the end of the block every session is closed and every process ended.

    `usual` holds for a run without a person at an editor for which nobody set a limit.
    """
    world = World(setup, editor, client, headless=headless, usual=usual if headless else EDITOR)
    try:
        async with world.sessions:
            yield world
    finally:
        await world.aclose()
