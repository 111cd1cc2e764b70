"""The session as a whole, in the hands of its user: the port `SessionControl`."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Protocol

from agls.assembly.rewind import Back, go_back
from agls.config import ConfigError, check_folder
from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.facts import Entry, SessionChanged
from agls.engine.ports import JournalError, ModelClient, ModelError, ModelInfo
from agls.engine.session import Session
from agls.engine.sessions import Sessions
from agls.engine.vocabulary import JsonObject, SessionRow
from agls.room import Piece, PromptRefused
from agls.room.folder_ports import WORKTREE
from agls.room.session_ports import RewoundConversation
from agls.workspace.uris import to_path

Export = Callable[[str, Sequence[Entry], str], Awaitable[bytes]]
BeginTyped = Callable[[Session, str], Awaitable[str]]
NO_TYPING = 'Nobody can type a prompt here. Write: agls run "…"'
NO_EXPORT = "This door exports no sessions. Write: agls sessions export {}"
FILES = "{} file{} went back as well."
SAME = "No file was changed since then."
EMPTY = "This session has no prompts yet."


async def export_nothing(session_id: str, entries: Sequence[Entry], form: str) -> bytes:
    """Stand for a door that exports no sessions. **Raises** `ActionError`."""
    raise ActionError(NO_EXPORT.format(session_id))


async def begin_nothing(session: Session, text: str) -> str:
    """Stand for a door that nobody types at. **Raises** `ActionError`."""
    raise ActionError(NO_TYPING)


class Judge(Protocol):
    """What the control asks of the process. All methods raise `ConfigError`, `model` `ModelError` as well.

    `begin_typed` begins what a typed text is for. It raises all that keeps a run from beginning.
    """

    @property
    def export(self) -> Export: ...
    @property
    def begin_typed(self) -> BeginTyped: ...
    async def model(self, folder: str, name: str = "") -> ModelClient: ...
    async def expand(self, session: Session, text: str) -> Sequence[Piece]: ...
    def models(self, folder: str) -> tuple[ModelInfo, ...]: ...
    def check_options(self, folder: str, options: JsonObject) -> None: ...
    def check_mode(self, folder: str, options: JsonObject, *, by_user: bool) -> None: ...
    def choose(self, session_id: str, options: JsonObject) -> None: ...


def _real_folder(cwd: str, path: str) -> str:
    """**Returns** the path with links resolved. **Raises** `ConfigError` and what `Path` does."""
    real = str((Path(cwd) / Path(path).expanduser()).resolve())
    check_folder(real)
    return real


class OpenSessionControl:
    """Implements `SessionControl` for one session."""

    def __init__(self, session: Session, sessions: Sessions, judge: Judge) -> None:
        self._session, self._sessions = session, sessions
        self._judge = judge

    async def set(self, options: JsonObject, *, by_user: bool = False) -> None:
        """Set options of the session. **Raises** `ActionError` for what no run could begin with."""
        session, judge = self._session, self._judge
        cwd, given = session.state.cwd, {name: each for name, each in options.items() if each is not None}
        try:
            judge.check_mode(cwd, given, by_user=by_user)
            judge.check_options(cwd, {**session.state.options, **given})
            if "model" in given:
                await judge.model(cwd, str(given["model"]))
        except ModelError as problem:
            raise ActionError(f"{problem} {problem.hint}".strip()) from None
        except (ConfigError, Refused) as problem:
            raise ActionError(str(problem)) from None
        judge.choose(session.session_id, given)
        session.log.record(SessionChanged(options=options))
        await session.log.sync()

    async def folder(self, path: str) -> str:
        """Add a folder to work in. **Raises** `ActionError`."""
        state = self._session.state
        try:
            real = await asyncio.to_thread(_real_folder, state.cwd, path)
        except (ConfigError, OSError, RuntimeError, ValueError) as problem:
            raise ActionError(f"The folder {path[:200]!r} cannot be used: {problem}") from None
        if real in {state.cwd, *state.roots}:
            raise ActionError(f"{real} is already a folder of this session.")
        self._session.log.record(SessionChanged(roots=(*state.roots, real)))
        await self._session.log.sync()
        return real

    async def rewind(self, item_id: str, *, files: bool = False, undo: str = "") -> RewoundConversation:
        """Go back to an item, or to before a rewind. **Raises** `ActionError`."""
        back = Back(item_id, undo, "both" if files or undo else "conversation")
        try:
            gone = await go_back(self._session, back)
        except Refused as problem:
            raise ActionError(str(problem)) from None
        changed = len(gone.restored.get("files", ()))
        left = [self._left_alone(each) for each in gone.restored.get("conflicts", ())]
        said = FILES.format(changed, "s" * (changed != 1)) if changed or left else SAME
        counted = [said] if files or changed else []
        summary = "\n\n".join([*counted, *(["\n".join(left)] if left else [])])
        return RewoundConversation(gone.fact.checkpoint_id, len(gone.dropped), summary)

    def _left_alone(self, conflict: JsonObject) -> str:
        path, cwd = Path(to_path(conflict["uri"])), self._session.state.cwd
        shown = path.relative_to(cwd) if path.is_relative_to(cwd) else path
        return f"- left alone: {shown}: {conflict['reason']}"

    async def fork(self, title: str = "") -> str:
        """Make a session with all that was said. **Returns** its id. **Raises** `ActionError`."""
        session = self._session
        if not session.state.transcript:
            raise ActionError(EMPTY)
        try:
            made = await self._sessions.fork(session.session_id, title=title)
        except (JournalError, Refused) as problem:
            raise ActionError(str(problem)) from None
        return made.session_id

    async def others(self, search: str = "") -> Sequence[SessionRow]:
        """**Returns** the other sessions of the folder, the latest first."""
        rows, _ = await self._sessions.list(cwd=self._session.state.cwd, search=search)
        return [row for row in rows if row.session_id != self._session.session_id and not row.parent_item]

    def stop(self) -> str:
        """Cancel what runs. **Returns** the run, "" where none does."""
        cancelled = self._session.cancel()
        return cancelled.run_id if cancelled.state == "cancelling" else ""

    async def export(self, form: str) -> bytes:
        """**Returns** the session in this format. **Raises** `ActionError`."""
        entries = self._session.log.journal.entries()
        if not self._session.state.transcript:
            raise ActionError(EMPTY)
        return await self._judge.export(self._session.session_id, entries, form)

    async def apart(self, folder: str, title: str) -> str:
        """Make a session that works in a worktree. **Returns** its id. **Raises** `ActionError`."""
        state = self._session.state
        kept = {name: state.options[name] for name in ("model", "effort") if name in state.options}
        try:
            made = await self._sessions.create(state.cwd, title=title, options={**kept, WORKTREE: folder})
        except (JournalError, Refused) as problem:
            raise ActionError(str(problem)) from None
        return made.session_id

    async def type(self, text: str) -> str:
        """Begin what a typed text is for. **Returns** the run. **Raises** `ActionError`."""
        try:
            return await self._judge.begin_typed(self._session, text)
        except ModelError as problem:
            raise ActionError(f"{problem} {problem.hint}".strip()) from None
        except (ConfigError, JournalError, PromptRefused, Refused) as problem:
            raise ActionError(str(problem)) from None

    async def meaning(self, text: str) -> Sequence[Piece]:
        """**Returns** what a typed text points at. **Raises** `ActionError`."""
        try:
            return await self._judge.expand(self._session, text)
        except ConfigError as problem:
            raise ActionError(str(problem)) from None

    def models(self) -> Sequence[ModelInfo]:
        """**Returns** the models that can be named. **Raises** `ActionError`."""
        try:
            return self._judge.models(self._session.state.cwd)
        except ConfigError as problem:
            raise ActionError(str(problem)) from None
