"""The world behind this door: opened from what `initialize` said, or the reason why it is not."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple, Protocol

from agls.config import ConfigError, ConfigInputs, KeyPlace, ModelCatalog, Reload, Setup, read
from agls.doors import from_wire
from agls.doors.agent.client import array, member
from agls.doors.agent.client_tools import ClientTools
from agls.doors.logs import begin_log
from agls.doors.messages import JsonObject
from agls.engine.ports import ModelClient, ModelInfo
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.room import Piece
from agls.stores.storage import Storage
from agls.workspace.editor import Editor
from agls.workspace.redact import harden
from agls.world import open_world


class World(Protocol):
    """What this door needs of the world; every member raises `ConfigError` when the world is not there."""

    @property
    def setup(self) -> Setup: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def storage(self) -> Storage: ...

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """The model of a run in this folder. Raises `ConfigError` and `ModelError`."""
        ...

    def models(self, folder: str) -> tuple[ModelInfo, ...]:
        """All models that can be named in this folder, the default first. Raises `ConfigError`."""
        ...

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Refuse options that no run in this folder could have. Raises `ConfigError`."""
        ...

    def check_mode(self, folder: str, options: JsonObject, *, by_user: bool) -> None:
        """Refuse a mode that nobody may have in this folder. Raises `ConfigError` and `UntrustedMode`."""
        ...

    def choose(self, session_id: str, options: JsonObject) -> None:
        """Remember the mode that was chosen for a session. Raises `ConfigError`."""
        ...

    async def check(self, folder: str, options: JsonObject) -> None:
        """Whether a run in this folder could begin with these. Raises `ConfigError`, `ModelError`."""
        ...

    def prepare(self, folder: str) -> None:
        """Load what the first question to a model takes."""
        ...

    def sketch(self, folder: str) -> Session:
        """A session of this folder as it would be. Raises `ConfigError`."""
        ...

    async def expand(self, session: Session, text: str) -> Sequence[Piece]:
        """**Returns** what a text that somebody typed points at. **Raises** `ConfigError`."""
        ...

    def offered(self, folder: str) -> ModelCatalog:
        """The models for this folder. Raises `ConfigError`."""
        ...


class NoWorld:
    """Stands where the world could not be opened: whoever needs it reads why.

    Each request has it tried again: the user may have corrected the configuration.
    """

    def __init__(self, problem: ConfigError) -> None:
        self._problem = problem
        self._asked, self._waiting = asyncio.Event(), asyncio.Event()

    async def retry(self) -> None:
        """Have the world opened again; **returns** when that was tried."""
        self._asked.set()
        await self._waiting.wait()

    async def asked(self) -> None:
        """Wait until somebody wants to have it tried again."""
        await self._asked.wait()

    def tried(self) -> None:
        """Let go on who waits: something else stands here by now."""
        self._waiting.set()

    @property
    def setup(self) -> Setup:
        """There is none."""
        raise self._problem

    @property
    def sessions(self) -> Sessions:
        """There are none."""
        raise self._problem

    @property
    def storage(self) -> Storage:
        """There is none."""
        raise self._problem

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """There is none."""
        raise self._problem

    async def check(self, folder: str, options: JsonObject) -> None:
        """None could."""
        raise self._problem

    def prepare(self, folder: str) -> None:
        """There is nothing."""

    def models(self, folder: str) -> tuple[ModelInfo, ...]:
        """There are none."""
        raise self._problem

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Nothing could be checked."""
        raise self._problem

    def check_mode(self, folder: str, options: JsonObject, *, by_user: bool) -> None:
        """Nothing could be checked."""
        raise self._problem

    def choose(self, session_id: str, options: JsonObject) -> None:
        """There is no session."""
        raise self._problem

    def sketch(self, folder: str) -> Session:
        """There can be none."""
        raise self._problem

    async def expand(self, session: Session, text: str) -> Sequence[Piece]:
        """There is no session."""
        raise self._problem

    def offered(self, folder: str) -> ModelCatalog:
        """Nobody knows."""
        raise self._problem


class Opening(NamedTuple):
    """What `initialize` says about the world; folders are absolute paths, "" when the client named none."""

    folder: str
    trusted: bool | None  # `None` where the client does not say
    config_file: str
    state_dir: str
    settings: JsonObject
    options: JsonObject  # of the sessions that are made here and say nothing else


def read_opening(params: JsonObject) -> Opening:
    """The members of `initialize` that matter here; what cannot be used is left out."""
    options = member(params, "initializationOptions")
    folders = [member({"at": folder}, "at").get("uri") for folder in array(params.get("workspaceFolders"))]
    candidates = [*folders, params.get("rootUri")]
    return Opening(
        folder=next((path for uri in candidates if (path := _path(uri))), ""),
        trusted=options.get("trusted") is True if "trusted" in options else None,
        config_file=_path(options.get("configFile")),
        state_dir=_path(options.get("stateDir")),
        settings=member(options, "settings"),
        options=member(options, "options"),
    )


@asynccontextmanager
async def opened(
    opening: Opening, editor: Editor, client: ClientTools, places: Sequence[KeyPlace], arguments: JsonObject
) -> AsyncGenerator[World]:
    """The world, or what stands in its place when the configuration is wrong."""
    harden()
    folder = opening.folder or str(Path.home())
    told = ConfigInputs(
        arguments=arguments,
        editor=opening.settings,
        config_file=opening.config_file,
        state_dir=opening.state_dir,
        remembered=opening.trusted is None,
    )

    def trusts(root: Path) -> bool:
        return bool(opening.trusted) and str(root) == opening.folder

    try:
        setup = replace(read(told, folder, trusts), places=tuple(places))
    except ConfigError as problem:
        yield NoWorld(problem)
        return
    begin_log(setup.state_folder, lambda: setup.secrets, setup.log_level)
    async with open_world(setup, editor=editor, headless=False, client=client) as world:
        world.reread = Reload(told, folder, trusts, setup)
        yield world


def _path(value: object) -> str:
    if not isinstance(value, str):
        return ""
    if value.startswith("/"):
        return value
    try:
        return from_wire.path(value)
    except from_wire.Malformed:
        return ""
