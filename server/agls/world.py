"""What one process works with: sessions, store, connections, processes. Opened and closed here."""

from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, suppress
from functools import partial
from pathlib import Path

from agls.assembly import features
from agls.config import (
    EDITOR,
    PROGRAM,
    Choice,
    ConfigError,
    FolderGrants,
    Offered,
    OwnFiles,
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
from agls.engine.feature import Outfit
from agls.engine.ports import ModelClient, ModelError, ModelInfo
from agls.engine.recovering import left_of
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.state import gone_on_with
from agls.engine.vocabulary import JsonObject
from agls.features.budget.books import Books
from agls.features.client_tools.calling import NO_CLIENT, Client
from agls.features.permissions.choices import Choices, SessionChoices, check
from agls.features.permissions.modes import Mode
from agls.features.permissions.rules import denied
from agls.features.subagents.palette import hands_over
from agls.parts import Parts
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
    """What one process works with. `setup` may be replaced: runs that begin later work with the new one.

    `reread` is asked for it before each of them.
    """

    def __init__(self, setup: Setup, editor: Editor, client: Client, *, headless: bool, usual: Usual) -> None:
        self.setup, self._client, self._editor = setup, client, editor
        self._headless, self._usual = headless, usual
        self.reread: Reread = as_it_is
        self._clock, self._processes = SystemClock(), Processes(setup.environment)
        self._choice, self._scratch = Choice(lambda: self.setup), Scratch(setup.state_folder)
        keeps = partial(on_disk, setup.state_folder, lambda: self.setup.secrets)
        self.storage = keeps() if setup.keeps else in_memory()
        self._books = Books(self.storage.ledger, self._clock.now, hands_over)
        self._checked: object = None  # the last that a run could begin with; most begin alike
        self._choices = Choices()
        self._own_files = OwnFiles(setup.state_folder, setup.config_file)
        self._seal = Seal(self._own_files)
        self.sessions = Sessions(self.storage.sessions, self._equip, self._clock)
        self.sessions.on_open = self._reopen

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """The model of a run in `folder`: the named one, the default, or one found on this machine.

        Raises `ConfigError` (nothing is configured, or it is wrong) and `ModelError` (no such model).
        """
        self._renew()
        return await self._choice.model(folder, name)

    def models(self, folder: str) -> tuple[ModelInfo, ...]:
        """All models that can be named in `folder`, the default first. Raises `ConfigError`."""
        self._renew()
        return self._choice.known(folder)

    def prepare(self, folder: str) -> None:
        """Load what the first question to the default model of `folder` needs, as it takes a while."""
        with suppress(ConfigError, ModelError):  # who asks it is told
            self._choice.resolver(self.setup.load(folder)).resolve("")

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Refuse options (the session's and the run's) that a run could not begin with: `ConfigError`."""
        check_folder(folder)
        try:
            bounds_of(self.setup.load(folder), options, {}, usual=self._usual)
        except ValueError as problem:
            raise ConfigError(str(problem)) from None

    def check_mode(self, folder: str, options: JsonObject, *, by_user: bool) -> None:
        """Refuse a mode that widens what runs unasked in a folder nobody trusts.

        It is accepted when a person chose it (`by_user`). **Raises** `UntrustedMode`.
        """
        check(options, folder, trusted=self.setup.trusts(Path(folder)), by_user=by_user)

    def choose(self, session_id: str, options: JsonObject) -> None:
        """Remember the mode that was chosen, with these options, for a session or for one of its runs."""
        self._choices.choose(session_id, options)

    def sketch(self, folder: str) -> Session:
        """A session of `folder` as it would be: to see what it offers. What can be used shows when it is."""
        return self.sessions.sketch(MemoryStore().create("sketch"), folder)

    async def check(self, folder: str, options: JsonObject) -> None:
        """Whether a run in `folder` could begin with these options. Raises `ConfigError`, `ModelError`."""
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

    def offered(self, folder: str) -> Offered:
        """The models configured for `folder`, or found, complete or not. Raises `ConfigError`."""
        return self._choice.offered(folder)

    def notes(self, folder: str) -> tuple[str, ...]:
        """What the user should know of the configuration for `folder`. Raises `ConfigError`."""
        return self._choice.notes(folder)

    async def aclose(self) -> None:
        """End the processes and the connections; the sessions are closed before."""
        await self._processes.aclose()
        await self._choice.aclose()

    def _renew(self) -> None:
        """Take in what the user changed since. Raises `ConfigError`."""
        if not self._own_files.changed:  # a command may have written an address into the config file
            self.setup = self.reread(self.setup)

    def _equip(self, session: Session, admitted: Admitted) -> Outfit:
        state, setup = session.state, self.setup
        loaded = setup.load(state.cwd)
        config = loaded.config
        scratch = str(self._scratch.path(session.session_id)) if config.scratchpad.enabled else ""
        own = Own(tuple(map(str, setup.own_places)), scratch, (str(setup.config_file),))
        hidden = denied(config.permissions.deny)
        options = {**state.options, **gone_on_with(state, admitted.options, admitted.recovers)}
        bounds = bounds_of(loaded, options, admitted.options, usual=self._usual)
        limits = left_of(state, admitted, bounds.limits, bounds.asked)
        agent = agent_of(config.agents, options)
        workspace = OpenWorkspace(state.cwd, state.roots, self._editor, self._processes, own, hidden)
        models = self._choice.resolver(loaded, agent.tier)
        window = models.window(str(options.get("model", "")))
        parts = Parts(
            config=config.for_window(window),
            agent=agent,
            setup=setup,
            session=session,
            run_id=admitted.run_id,
            spawner=Children(self.sessions, session),
            above=tuple(Children(self.sessions, one) for one in self.sessions.above(session)),
            workspace=workspace,
            models=models,
            clock=self._clock,
            client=self._client,
            scratch=scratch,
            make_scratch=partial(self._scratch.make, session.session_id),
            tidy=self.storage.tidy,
            record=self.storage.write,
            blobs=self.storage.blobs,
            bounds=bounds,
            books=self._books,
            window=window,
            lasting=not self._headless,
            choices=SessionChoices(self._choices, self._lineage(session)),
            grants=FolderGrants(self._own_files, self._seal, Path(workspace.root), session.session_id),
            own_files=self._own_files,
        )
        return Outfit(features=features(parts), models=models, workspace=workspace, limits=limits)

    def _lineage(self, session: Session) -> tuple[str, ...]:
        """The session, behind those that it works for."""
        above = self.sessions.above(session)
        return (*(each for one in above for each in self._lineage(one)), session.session_id)

    def _reopen(self, session: Session) -> None:
        """Take a wider mode than the configured one back that was chosen before the session was closed."""
        configured: Mode = "ask"
        with suppress(ConfigError):  # whoever begins a run is told
            configured = self.setup.load(session.state.cwd).config.permissions.mode
        if self._choices.reopen(session.session_id, session.state, configured):
            session.log.record(SessionChanged(options={"mode": None}))


@asynccontextmanager
async def open_world(
    setup: Setup, *, editor: Editor, headless: bool, usual: Usual = PROGRAM, client: Client = NO_CLIENT
) -> AsyncGenerator[World]:
    """The world, until the block is left: then every session is closed and every process ended.

    `usual` holds for a run without a person at an editor for which nobody set a limit.
    """
    world = World(setup, editor, client, headless=headless, usual=usual if headless else EDITOR)
    try:
        async with world.sessions:
            yield world
    finally:
        await world.aclose()
