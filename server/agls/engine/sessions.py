"""All sessions of this process: made, opened, listed, closed; the owner of every task they start."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any, Self

from agls.engine.admission import ANYBODY, ClientRequest, KeyConflict
from agls.engine.background import left_open
from agls.engine.facts import Entry, RunEnded, SessionChanged
from agls.engine.history import beginning, forked, with_own_files
from agls.engine.journal_tail import TailFollower
from agls.engine.log import Clean, Log, as_it_is
from agls.engine.loop import GRACE
from agls.engine.ports import Clock, Journal, JournalBusy, JournalError, Store, Tail, new_id
from agls.engine.rests import Rests, outlined
from agls.engine.session import BuildRun, Session
from agls.engine.spawning import helpers_of
from agls.engine.state import fold_all
from agls.engine.vocabulary import JsonObject, SessionRow, Stop, StopReason

DIED = Stop(StopReason.INTERRUPTED, "the process ended before the run did")
Host = Callable[
    [Session, str], Callable[[], None]
]  # a child and its parent's id; returns the function that detaches
_log = logging.getLogger(__name__)


def _unseen(session: Session) -> None:
    return None


def made_for(request: ClientRequest) -> str:
    """Return the id of the session that this request makes: the same id for the same key, at any time."""
    if not request.key:
        return new_id("ses")
    return f"ses_{sha256(request.key.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


AtEnd = Callable[[Session, str], Coroutine[Any, Any, None]]
"""What is done before a session ends, which is `closed`, or ends with the process (`exit`)."""


async def _nothing_at_end(session: Session, reason: str) -> None:
    return None


class Sessions:
    """Use it as `async with`: leaving it closes every session and ends every task, in bounded time."""

    def __init__(self, store: Store, build_run: BuildRun, clock: Clock, clean: Clean = as_it_is) -> None:
        """`clean` takes the user's keys out of what sessions record and show."""
        self._store = store
        self._build_run = build_run
        self._clock, self._clean = clock, clean
        self._open: dict[str, Session] = {}
        self._tasks: set[asyncio.Task[Any]] = set()
        self._opening, self._making = asyncio.Lock(), asyncio.Lock()
        self._closing: dict[str, asyncio.Future[None]] = {}
        self._followed: dict[str, tuple[Session, TailFollower, asyncio.Task[Any]]] = {}
        self.hosts: list[Host] = []  # those who watch the children of sessions and answer for them
        self.on_open: Callable[[Session], None] = _unseen  # called with a session that was read back
        self.at_end: AtEnd = _nothing_at_end

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        """Close every session; work that does not end is left to the end of the process."""
        async with asyncio.TaskGroup() as group:
            for session in self._open.values():
                group.create_task(session.close(partial(self.at_end, session, "exit")))
        self._open.clear()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GRACE)

    async def create(
        self,
        cwd: str,
        *,
        roots: tuple[str, ...] = (),
        title: str = "",
        options: JsonObject | None = None,
        request: ClientRequest = ANYBODY,
    ) -> Session:
        """Make a session in this folder, once for one request; `roots` are more folders (absolute paths).

        **Raises** `JournalError`, `JournalBusy` (another process has what it made) and `Refused`
        (`keyConflict`).
        """
        return await self.make(SessionChanged(cwd, title, "", roots, options or {}), request)

    async def make(
        self,
        about: SessionChanged,
        request: ClientRequest,
        welcome: Callable[[Session], None] = _unseen,
    ) -> Session:
        """Make a session that begins with this fact, once for one request; `welcome` sees it before all else.

        **Raises** `JournalError`, `JournalBusy` and `Refused`, as `create` does.
        """
        async with self._making:
            known = await self._made(request, about.parent)
            session = known or self._adopt(self._log_of(await self._new(request), ()))
            welcome(session)
            if known is None:
                session.log.record(about)
        return session

    def sketch(self, journal: Journal, cwd: str) -> Session:
        """Return a session of this folder with the entries of a journal; it is not kept and runs nothing.

        It shows what a real one would offer.
        """
        state = fold_all(journal.entries())._replace(cwd=cwd)
        log = Log(journal, self._clock, state, clean=self._clean)
        return Session(journal.session_id, log, self._build_run, self.spawn)

    async def open(self, session_id: str, *, whole: bool = True) -> Session:
        """Open a session for writing; a run and tasks that a crash left open are closed as interrupted.

        One that rests may only have its outline, unless it is wanted `whole`: its state is folded when
        somebody asks for it. **Raises** `JournalError` (no such session) or `JournalBusy` (another process
        writes it).
        """
        session, is_new = await self._open_once(session_id, whole)
        if not is_new:
            return session
        state = session.log.outline
        if state.running:
            session.log.record(RunEnded(state.run_id, DIED))
        self.on_open(session)
        if session.background.settle() or state.running:
            await session.log.sync()
        return session

    async def _open_once(self, session_id: str, whole: bool) -> tuple[Session, bool]:
        """Return the session, and whether it was opened now."""
        while True:
            while closing := self._closing.get(session_id):  # it is ours until its journal is given back
                await asyncio.shield(closing)
            async with self._opening:
                if session_id in self._closing:  # since we waited for others to open
                    continue
                if session := self._open.get(session_id):
                    if whole:
                        await asyncio.to_thread(session.log.fold_whole)
                    return session, False
                return self._adopt(await asyncio.to_thread(self._load, session_id, whole)), True

    def is_open(self, session_id: str) -> bool:
        """Return whether this process has the session open."""
        return session_id in self._open

    def above(self, session: Session) -> tuple[Session, ...]:
        """Return the session that this one works for, if this process has it open."""
        parent = session.outline.parent if session.outline.parent_item else ""
        return (self._open[parent],) if parent in self._open else ()

    async def peek(self, session_id: str) -> Sequence[Entry]:
        """Return what a session's journal holds, read without opening it. **Raises** `JournalError`."""
        return await asyncio.to_thread(self._store.peek, session_id)

    async def follow(self, session_id: str) -> Session:
        """Open a session that another process writes: it can be read, and grows as that process goes on.

        Writing to it raises `JournalBusy`. **Raises** `JournalError`.
        """
        async with self._opening:
            if session_id not in self._followed:
                tail, log = await asyncio.to_thread(self._read_along, session_id)
                session = Session(session_id, log, self._build_run, self.spawn)
                following = TailFollower(log, tail)
                self._followed[session_id] = session, following, self.spawn(following.follow())
            session, following, _ = self._followed[session_id]
            await following.catch_up()
            return session

    async def unfollow(self, session_id: str) -> None:
        """Take in the last entries of the other process, then no more. **Raises** `JournalError`."""
        if followed := self._followed.pop(session_id, None):
            session, following, task = followed
            task.cancel()
            await asyncio.wait({task})
            try:
                await following.catch_up()
            finally:
                session.log.journal.close()

    async def fork(
        self, session_id: str, item_id: str = "", title: str = "", request: ClientRequest = ANYBODY
    ) -> Session:
        """Make a session with the conversation of this one up to an item ("" for all of it).

        The same request makes it once.

        **Raises** `JournalError` (no such session), `JournalBusy` and `Refused` (`noSuchItem`,
        `keyConflict`).
        """
        async with self._making:
            if known := await self._made(request, session_id):
                return known
            everything = await self.peek(session_id)
            entries = await asyncio.to_thread(forked, everything, item_id)
            journal = await self._new(request)
            entries = await asyncio.to_thread(with_own_files, entries, session_id, journal.session_id)
            await asyncio.to_thread(self._store.share, session_id, journal.session_id)
            await asyncio.to_thread(journal.append, *entries)
            session = self._adopt(await asyncio.to_thread(self._log_of, journal, entries))
            for fact in beginning(session_id, everything, session.state, title):
                session.log.record(fact)
            self.on_open(session)
        await session.log.sync()
        return session

    async def helpers(self, session_id: str) -> Sequence[str]:
        """Return the sessions that worked for this one, the deepest first. **Raises** `JournalError`."""
        return await asyncio.to_thread(helpers_of, self._store, session_id)

    async def delete(self, session_id: str) -> None:
        """End the work of the session and remove its data for good, and that of its helpers before.

        **Raises** `JournalError`, `JournalBusy`: then it is still there, and can be deleted again.
        """
        await self.close(session_id)
        for each in (*await self.helpers(session_id), session_id):
            await self.close(each)
            await asyncio.to_thread(self._store.delete, each)

    async def close(self, session_id: str) -> None:
        """End the work of the session and give its journal back; its data stays."""
        if session := self._open.pop(session_id, None):
            closing = self._closing[session_id] = asyncio.get_running_loop().create_future()
            try:
                await session.close(partial(self.at_end, session, "closed"))
            finally:
                del self._closing[session_id]
                closing.set_result(None)

    async def list(
        self, *, cwd: str = "", search: str = "", cursor: str = "", limit: int = 50
    ) -> tuple[Sequence[SessionRow], str]:
        """Return sessions, newest first, and the cursor of the next page ("" when there is none)."""
        return await asyncio.to_thread(self._store.list, cwd=cwd, search=search, cursor=cursor, limit=limit)

    async def _made(self, request: ClientRequest, parent: str = "") -> Session | None:
        """Return the session that was made for this request. One that a crash left unfinished is removed."""
        if not request.key:
            return None
        session_id = made_for(request)
        open_before = self.is_open(session_id)
        try:
            session = await self.open(session_id)
        except JournalBusy:
            raise
        except JournalError:  # there is none; or making it will raise the reason
            return None
        if session.log.journal.asked not in {"", request.asked}:  # "": its line is damaged
            if not open_before:
                await self.close(session_id)
            raise KeyConflict
        if session.state.seq and session.state.parent == parent:
            return session
        await self.delete(session_id)
        return None

    async def _new(self, request: ClientRequest) -> Journal:
        return await asyncio.to_thread(self._store.create, made_for(request), request.asked)

    def _load(self, session_id: str, whole: bool) -> Log:
        journal = self._store.open(session_id)
        rests = journal.rests()
        outline = None if whole else outlined(journal.entries(), rests)
        if outline and not left_open(outline, ""):
            return Log(journal, self._clock, outline, rests, is_whole=False, clean=self._clean)
        known = len(rests)
        log = self._log_of(journal, journal.entries(), rests)
        if len(rests) > known:
            journal.keep_rests(rests)
        return log

    def _read_along(self, session_id: str) -> tuple[Tail, Log]:
        tail = self._store.follow(session_id)
        return tail, self._log_of(tail, tail.entries())

    def _log_of(self, journal: Journal, entries: Iterable[Entry], rests: Rests | None = None) -> Log:
        rests = rests or Rests()
        return Log(journal, self._clock, fold_all(entries, rests.take), rests, clean=self._clean)

    def _adopt(self, log: Log) -> Session:
        session = Session(log.journal.session_id, log, self._build_run, self.spawn)
        self._open[session.session_id] = session
        return session

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Run this beside the caller; it ends, at the latest, with the sessions. Exceptions are logged."""
        task = asyncio.get_running_loop().create_task(_contained(work))
        self._tasks.add(task)

        def let_go(done: asyncio.Task[Any]) -> None:
            self._tasks.discard(done)
            work.close()  # of one that was cancelled before it began

        task.add_done_callback(let_go)
        return task


async def _contained(work: Coroutine[Any, Any, Any]) -> Any:
    try:
        return await work
    except Exception:  # noqa: BLE001 - background work can never take the sessions down
        _log.exception("background work failed")
