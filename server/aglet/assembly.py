"""The composition root: opens the world, and says which features exist and in which order."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from aglet.checkup import for_action
from aglet.config import Choice, Config, ConfigError, FolderGrants, Setup, asked, bounds_of, check_folder
from aglet.engine.facts import Admitted
from aglet.engine.feature import Feature, Outfit
from aglet.engine.ports import Asker, Clock, ModelClient
from aglet.engine.recovering import cut_off, left_of
from aglet.engine.session import Session
from aglet.engine.sessions import Sessions
from aglet.engine.vocabulary import JsonObject
from aglet.features import (
    ask,
    budget,
    checkpoints,
    client_tools,
    continuation,
    deadline,
    doctor,
    files,
    guards,
    history,
    instructions,
    lean,
    output_schema,
    permissions,
    recovery,
    search,
    shell,
    usage,
)
from aglet.features.client_tools.calling import NO_CLIENT, Client
from aglet.features.permissions.rules import denied
from aglet.stores.blobs import Blobs
from aglet.stores.files import FileStore
from aglet.workspace.clock import SystemClock
from aglet.workspace.editor import Editor
from aglet.workspace.processes import Processes
from aglet.workspace.workspace import OpenWorkspace


class World:
    """What one process works with. `setup` may be replaced: runs that begin later work with the new one."""

    def __init__(self, setup: Setup, editor: Editor, client: Client, *, headless: bool) -> None:
        self.setup, self._client, self._editor = setup, client, editor
        self._headless = headless
        self._clock, self._processes = SystemClock(), Processes(setup.environment)
        self._choice, self._store = Choice(lambda: self.setup), FileStore(setup.state_folder)
        self.sessions = Sessions(self._store, self._equip, self._clock)

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """The model of a run in `folder`: the named one, the default, or one found on this machine.

        Raises `ConfigError` (nothing is configured, or it is wrong) and `ModelError` (no such model).
        """
        return await self._choice.model(folder, name)

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Refuse options (the session's and the run's) that a run could not begin with: `ConfigError`."""
        check_folder(folder)
        try:
            bounds_of(self.setup.load(folder).config, options, headless=self._headless)
        except ValueError as problem:
            raise ConfigError(str(problem)) from None

    def notes(self, folder: str) -> tuple[str, ...]:
        """What the user should know of the configuration for `folder`. Raises `ConfigError`."""
        return self._choice.notes(folder)

    async def aclose(self) -> None:
        """End the processes and the connections; the sessions are closed before."""
        await self._processes.aclose()
        await self._choice.aclose()

    def _equip(self, session: Session, admitted: Admitted) -> Outfit:
        state, setup = session.state, self.setup
        config = setup.load(state.cwd).config
        private = tuple(map(str, setup.own_places))
        hidden = denied(config.permissions.deny)
        options = {**state.options, **admitted.options}
        bounds = bounds_of(config, options, headless=self._headless)
        limits, seconds = left_of(session, admitted, bounds.spending, asked(admitted.options))
        window = self._choice.window(state.cwd, state.context.model or str(options.get("model", "")))
        config = config.for_window(window)
        workspace = OpenWorkspace(state.cwd, state.roots, self._editor, self._processes, private, hidden)
        rooms = features(config, setup, workspace, session.questions, self._clock, seconds)
        names = {tool.spec.name for room in rooms for tool in room.tools}
        models = self._choice.resolver(state.cwd)
        return Outfit(
            features=(
                *rooms,
                *((output_schema.build(config.output_schema, bounds.schema),) if bounds.schema else ()),
                *((recovery.build(workspace.clean, self._store.tidy),) if cut_off(state) else ()),
                history.build(
                    models, session.log.record, titles=config.history.titles and "fast" in config.tiers
                ),
                client_tools.build(config.client_tools, self._client, session.session_id, names),
                *((lean.build(config.lean, window),) if window and config.lean.applies(window) else ()),
            ),
            models=models,
            workspace=workspace,
            limits=limits,
        )


def features(
    config: Config, setup: Setup, workspace: OpenWorkspace, asker: Asker, clock: Clock, seconds: float | None
) -> tuple[Feature, ...]:  # fmt: skip
    """The features of a run of so many seconds: the first is asked first and is outermost in the wrappers."""
    folder = Path(workspace.root)
    grants = FolderGrants(setup.state_folder, folder)
    return (
        *(() if seconds is None else (deadline.build(seconds),)),
        guards.build(config.guards),
        budget.build(),
        instructions.build(
            config.instructions,
            workspace,
            trusted=setup.trusts(folder),
            user_instructions=setup.instructions,
            now=clock.now,
        ),
        continuation.build(config.continuation),
        permissions.build(config.permissions, asker, workspace, grants),
        checkpoints.build(config.checkpoints, workspace.snapshots, Blobs(setup.state_folder)),
        usage.build(config.usage),
        doctor.build(for_action(setup)),
        files.build(config.files),
        search.build(config.search),
        shell.build(config.shell, asker),
        ask.build(config.ask, asker),
    )


@asynccontextmanager
async def open_world(
    setup: Setup, *, editor: Editor, headless: bool, client: Client = NO_CLIENT
) -> AsyncGenerator[World]:
    """The world, until the block is left: then every session is closed and every process ended."""
    world = World(setup, editor, client, headless=headless)
    try:
        async with world.sessions:
            yield world
    finally:
        await world.aclose()
