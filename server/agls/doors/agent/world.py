"""The world behind a connection, or the reason why it could not be opened."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from agls.config import ConfigError, ModelCatalog, Setup
from agls.doors.messages import JsonObject
from agls.engine.ports import ModelClient, ModelInfo
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.room import Completions, GivenText, Piece, Typing
from agls.room.mcp_ports import GivenServer
from agls.stores.storage import Storage
from agls.workspace.workspace import OpenWorkspace

if TYPE_CHECKING:
    from agls.inline_edit import InlineEditor


class WorldPort(Protocol):
    """The part of the world that the methods need; every member raises `ConfigError` without a world."""

    @property
    def setup(self) -> Setup: ...
    @property
    def sessions(self) -> Sessions: ...
    @property
    def storage(self) -> Storage: ...

    def renew(self, setup: Setup) -> None:
        """Let runs that begin later work with other settings."""
        ...

    async def model(self, folder: str, name: str = "") -> ModelClient:
        """Return the model of a run in this folder. **Raises** `ConfigError` and `ModelError`."""
        ...

    def models(self, folder: str) -> tuple[ModelInfo, ...]:
        """Return all models that can be named in this folder, the default first. **Raises** `ConfigError`."""
        ...

    def check_options(self, folder: str, options: JsonObject) -> None:
        """Refuse options that no run in this folder could have. **Raises** `ConfigError`."""
        ...

    def check_mode(self, folder: str, options: JsonObject, *, by_user: bool) -> None:
        """Refuse a mode that nobody may have in this folder. **Raises** `ConfigError` and `UntrustedMode`."""
        ...

    def serve(self, session: Session, servers: Sequence[JsonObject]) -> Sequence[GivenServer]:
        """Give a session the servers that its client brings. **Raises** `ConfigError`."""
        ...

    def choose(self, session_id: str, options: JsonObject) -> None:
        """Remember the mode that was chosen for a session. **Raises** `ConfigError`."""
        ...

    async def check(self, folder: str, options: JsonObject) -> None:
        """Check that a run in this folder could begin with these. **Raises** `ConfigError`, `ModelError`."""
        ...

    def prepare(self, folder: str) -> None:
        """Load what the first question to a model takes."""
        ...

    def sketch(self, folder: str) -> Session:
        """Return a session of this folder as it would be. **Raises** `ConfigError`."""
        ...

    async def screen(self, session: Session, given: GivenText) -> Sequence[Piece]:
        """**Returns** what goes with a text that is given. **Raises** `ConfigError`, `PromptRefused`."""
        ...

    async def expand(self, session: Session, text: str) -> Sequence[Piece]:
        """**Returns** what a text that somebody typed points at. **Raises** `ConfigError`."""
        ...

    def withheld_file(self, session: Session, name: str) -> str:
        """**Returns** the file that makes this command, in a folder that nobody trusts; "" for none."""
        ...

    async def complete(self, session: Session, typing: Typing) -> Completions:
        """**Returns** how the rooms would go on with a prompt. **Raises** `ConfigError`."""
        ...

    def inline(self, session: Session) -> "tuple[InlineEditor, OpenWorkspace]":
        """Return what edits at the cursor, and what it sees. **Raises** `ConfigError`, `ModelError`."""
        ...

    def offered(self, folder: str) -> ModelCatalog:
        """Return the catalog of models for this folder. **Raises** `ConfigError`."""
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

    def renew(self, setup: Setup) -> None:
        """There is nothing that could work with them."""
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

    def serve(self, session: Session, servers: Sequence[JsonObject]) -> Sequence[GivenServer]:
        """There is no session."""
        raise self._problem

    def sketch(self, folder: str) -> Session:
        """There can be none."""
        raise self._problem

    async def screen(self, session: Session, given: GivenText) -> Sequence[Piece]:
        """There is no session."""
        raise self._problem

    async def expand(self, session: Session, text: str) -> Sequence[Piece]:
        """There is no session."""
        raise self._problem

    def withheld_file(self, session: Session, name: str) -> str:
        """There is no session."""
        raise self._problem

    async def complete(self, session: Session, typing: Typing) -> Completions:
        """There is no session."""
        raise self._problem

    def inline(self, session: Session) -> "tuple[InlineEditor, OpenWorkspace]":
        """There is no session."""
        raise self._problem

    def offered(self, folder: str) -> ModelCatalog:
        """Nobody knows."""
        raise self._problem
