"""The composition root: opens the world, and says which features exist and in which order."""

import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from aglet.config import Choice, Config, ConfigError, FolderGrants, Setup, check_folder
from aglet.engine.facts import Admitted
from aglet.engine.feature import Feature, Outfit
from aglet.engine.ports import Asker, ModelClient, Workspace
from aglet.engine.session import Session
from aglet.engine.sessions import Sessions
from aglet.engine.vocabulary import JsonObject, Limits
from aglet.features import (
    ask,
    budget,
    continuation,
    files,
    guards,
    instructions,
    permissions,
    search,
    shell,
    usage,
)
from aglet.features.budget.limits import limits_from
from aglet.features.permissions.rules import denied
from aglet.stores.files import FileStore
from aglet.workspace.editor import Editor
from aglet.workspace.processes import Processes
from aglet.workspace.workspace import OpenWorkspace

EDITOR_TURNS, HEADLESS_TURNS = 100, 12  # of a run for which nobody set a limit (`executor.md` part 1)


class SystemClock:
    """The `Clock` of this machine."""

    def now(self) -> float:
        """Unix time in seconds."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that never go back."""
        return time.monotonic()


class World:
    """What one process works with. `setup` may be replaced: runs that begin later work with the new one."""

    def __init__(self, setup: Setup, editor: Editor, *, headless: bool) -> None:
        self.setup = setup
        self._editor, self._turns = editor, HEADLESS_TURNS if headless else EDITOR_TURNS
        self._clock, self._processes = SystemClock(), Processes(setup.environment)
        self._choice = Choice(lambda: self.setup)
        self.sessions = Sessions(FileStore(setup.state_folder), self._equip, self._clock)

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """The model of a run in `folder`: the named one, the default, or one found on this machine.

        Raises `ConfigError` (nothing is configured, or it is wrong) and `ModelError` (no such model).
        """
        return await self._choice.model(folder, name)

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Refuse what a run in `folder` could not begin with, before it is admitted. Raises `ConfigError`.

        `options` are those of the session and, above them, those of the run.
        """
        check_folder(folder)
        try:
            self._limits(self.setup.load(folder).config, options)
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
        private = (str(setup.state_folder), str(setup.config_file.parent))
        hidden = denied(config.permissions.deny)
        workspace = OpenWorkspace(state.cwd, state.roots, self._editor, self._processes, private, hidden)
        return Outfit(
            features=features(config, setup, workspace, session.questions, self._clock),
            models=self._choice.models(state.cwd),
            workspace=workspace,
            limits=self._limits(config, {**state.options, **admitted.options}),
        )

    def _limits(self, config: Config, options: JsonObject) -> Limits:
        return limits_from(options, config.budget, self._turns)


def features(
    config: Config, setup: Setup, workspace: Workspace, asker: Asker, clock: SystemClock
) -> tuple[Feature, ...]:
    """The features of one run. The first is asked first at the gates and is outermost in the wrappers."""
    folder = Path(workspace.root)
    grants = FolderGrants(setup.state_folder, folder)
    return (
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
        usage.build(config.usage),
        files.build(config.files),
        search.build(config.search),
        shell.build(config.shell, asker),
        ask.build(config.ask, asker),
    )


@asynccontextmanager
async def open_world(setup: Setup, *, editor: Editor, headless: bool) -> AsyncGenerator[World]:
    """The world, until the block is left: then every session is closed and every process ended."""
    world = World(setup, editor, headless=headless)
    try:
        async with world.sessions:
            yield world
    finally:
        await world.aclose()
