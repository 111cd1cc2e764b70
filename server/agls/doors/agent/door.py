"""What the methods of this door work with: the sessions of the world, each attached to the client."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Generator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from typing import Literal
from weakref import WeakKeyDictionary

from agls.config import ConfigError
from agls.doors.action_list import action_list
from agls.doors.agent.admissions import Admissions
from agls.doors.agent.asking import Asking
from agls.doors.agent.call import Call
from agls.doors.agent.client import Client
from agls.doors.agent.flow.queue import largest_event
from agls.doors.agent.idempotency import Once
from agls.doors.agent.limits import MAX_QUEUED
from agls.doors.agent.meant import Meant
from agls.doors.agent.peer import Peer
from agls.doors.agent.publish import Publisher
from agls.doors.agent.result_pages import Page
from agls.doors.agent.world import Opening, World
from agls.doors.errors import cannot_open, session_busy
from agls.doors.lsp.plain.progress import NoProgress, ProgressReporter
from agls.doors.lsp.transcript import Transcript, VirtualPage, virtual_uri
from agls.doors.messages import JsonObject
from agls.engine.facts import Answered, Asked, Entry, Notice, RunEnded, Transient
from agls.engine.ports import JournalBusy, JournalError, WorkspaceError
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import BY_USER
from agls.order import NOTES
from agls.views.replay import end_of
from agls.views.session_history import SessionHistory
from agls.workspace.editor import Buffer, Editor

Role = Literal["own", "followed", "child"]
REMEMBERED = MAX_QUEUED + 16  # ends of runs, for those who wait for them


class Attached:
    """A session whose events go to the client and, unless it is `followed`, whose questions come from it.

    What it offers depends on what `configured` gives, and is looked at again when that changed.
    """

    def __init__(
        self,
        session: Session,
        peer: Peer,
        client: Client,
        gone: Callable[[], None],
        configured: Callable[[], object],
        role: Role = "own",
    ) -> None:
        self._configured, self._offered_for = configured, None
        self.session = session
        self._peer = peer
        self._client = client
        self._gone = gone
        self.read_only = role == "followed"
        self.progress = (NoProgress if role == "child" else ProgressReporter)(peer, client)
        self.publisher = Publisher(session, peer, client, self.progress)
        self.asking = Asking(session, peer, client)
        self.transcript = Transcript()
        self.page = VirtualPage(peer, virtual_uri(session.session_id))
        self.meant = Meant(session.state, peer)
        self._ends: dict[str, JsonObject] = {}  # what `runEnded` said, of the last runs
        self.told = True  # whether the client hears of it
        self.offers: list[JsonObject] | None = None  # the commands it was told
        self.end = self.publisher.flushed_after(session.log.subscribe(self._observe))

    def leave(self) -> None:
        """Tell nothing more, but follow what happens; open questions are taken back and wait."""
        self.told = False
        self.publisher.leave()
        self.asking.leave()

    def join(self) -> None:
        """Tell the client again, from here on."""
        self.told, self.offers = True, None
        self.publisher.join()

    def offer(self) -> None:
        """Tell what commands there are, when the client knows others or none."""
        if self.told and not self.read_only and self._client.hears("commands"):
            with suppress(ConfigError):  # then nothing can be offered, and who wants to work hears why
                configured = self._configured()
                if self.offers is not None and configured == self._offered_for:
                    return
                self._offered_for, offers = configured, action_list(self.session)
                if offers != self.offers:
                    self.offers = offers
                    self.publisher.show("commands", {"commands": offers})

    async def end_of(self, run_id: str) -> JsonObject:
        """Wait for the end of a run, whenever it was; gives what `runEnded` said. Raises `JournalError`."""
        with suppress(KeyError):  # it ended before this process, or long ago
            await self.session.finished(run_id)
        await self.publisher.told()
        if known := self._ends.get(run_id):
            return known
        journal = self.session.log.journal
        return await asyncio.to_thread(end_of, NOTES, run_id, self.session.session_id, journal.entries())

    def _observe(self, event: Entry | Transient, state: State) -> None:
        self.meant.take(event, state)
        fact = event.fact if isinstance(event, Entry) else None
        if isinstance(fact, Answered):  # before `requestResolved` is told
            self.publisher.then(partial(self.asking.withdraw, fact))
        told = self.publisher.publish(event, state)
        if problem := self.transcript.take(told):
            self.session.log.show(Notice("warning", "The transcript is not kept any more", problem))
        if self.told and self._client.virtual_documents:
            self.page.take(told)
        if isinstance(fact, RunEnded):
            self._remember(told)
            asyncio.get_running_loop().call_soon(self.offer)  # the next run works with what is set up now
        if isinstance(fact, Asked) and self.told and not self.read_only:  # after `requestOpened` was told
            self.publisher.then(partial(self.asking.put, fact))
        if self._peer.overfull:
            self._gone()

    def _remember(self, told: list[JsonObject]) -> None:
        self._ends |= {event["runId"]: event["data"] for event in told if event["type"] == "runEnded"}
        for run_id in list(self._ends)[:-REMEMBERED]:
            del self._ends[run_id]


class Door:
    """One connection: its client, and the sessions it uses."""

    def __init__(self, world: World, peer: Peer, client: Client, editor: Editor, opening: Opening) -> None:
        self.world = world
        self.peer = peer
        self.client = client
        self.folder, self.options = opening.folder, opening.options
        self._editor = editor
        self.once = Once()
        self.asked: set[str] = set()  # the ids of questions, also of sessions that are closed by now
        self._attached: dict[str, Attached] = {}
        self._followed: dict[str, Attached] = {}
        self._lent: dict[str, int] = {}
        self._histories = WeakKeyDictionary[Session, SessionHistory]()
        self.admissions = Admissions()
        self._closing: dict[str, asyncio.Future[None]] = {}
        with suppress(ConfigError):  # then there are no sessions
            world.sessions.hosts.append(self.welcome)

    @property
    def attached(self) -> Mapping[str, Attached]:
        """The sessions the client is attached to, by id; the one that was used last is the last."""
        return self._attached

    @property
    def followed(self) -> Mapping[str, Attached]:
        """The sessions that another process writes and the client only reads, by id."""
        return self._followed

    @property
    def latest(self) -> str:
        """The session that was used last, "" when there is none."""
        return next(reversed(self._attached), "")

    def buffer(self, uri: str) -> Buffer | None:
        """The open document with this URI, if its text is known."""
        with suppress(WorkspaceError):
            return self._editor.buffer(uri)
        return None

    async def open(self, session_id: str, call: Call) -> Attached:
        """The session, open for writing and attached. Raises `Bad` and `ConfigError`.

        A client of events that has left it hears of it again only from where it resumes: else there is a
        hole in what it was told.
        """
        if session_id in self._followed:
            raise session_busy(session_id)
        if known := self._attached.pop(session_id, None):
            self._attached[session_id] = known
            if not self.client.events:
                self.join(known, call)
            return known
        return self.attach(await self._opened(session_id), call)

    async def watch(self, session_id: str, call: Call, *, control: bool) -> Attached:
        """The session, attached: for reading only while another process has it, unless `control` is wanted.

        One that was left is told of again from `join` on. Raises `Bad` and `ConfigError`.
        """
        await self.closed(session_id)
        if known := self._attached.pop(session_id, None):
            self._attached[session_id] = known
            return known
        try:
            session = await self.world.sessions.open(session_id)
        except JournalBusy:
            if control:
                raise session_busy(session_id) from None
            return await self._follow(session_id)
        except JournalError as error:
            raise cannot_open(session_id, error) from None
        if followed := self._followed.pop(session_id, None):
            with suppress(JournalError):  # that was told
                await self.world.sessions.unfollow(session_id)
            followed.end()
        return self.attach(session, call)

    async def _follow(self, session_id: str) -> Attached:
        session = await self.world.sessions.follow(session_id)
        if session_id not in self._followed:
            self._followed[session_id] = self._attached_to(session, "followed")
        return self._followed[session_id]

    def join(self, attached: Attached, call: Call) -> None:
        """Tell the client of this session again from here on, if it had left."""
        if attached.told:
            return
        attached.join()
        call.until_answered.callback(attached.offer)
        for child in self._children(attached.session.session_id):
            child.join()
            call.until_answered.callback(child.asking.put_again)

    async def closed(self, session_id: str) -> None:
        """Wait until nobody closes this session (any more): then it can be opened again."""
        while closing := self._closing.get(session_id):
            await asyncio.shield(closing)

    @asynccontextmanager
    async def admission(self, session_id: str, call: Call) -> AsyncGenerator[None]:
        """While a run is admitted: a cancel of the session's work reaches it too, whenever it comes."""
        attached = self._attached.get(session_id)
        busy = attached is not None and (attached.session.state.running or bool(attached.session.state.queue))
        opens = self.closed(session_id)
        async with self.admissions.under_way(session_id, call, busy=busy, opens=opens):
            yield

    @asynccontextmanager
    async def borrowed(self, session_id: str) -> AsyncGenerator[Session]:
        """The session without its events; what was opened for this is let go of again. Raises `Bad`."""
        if followed := self._followed.get(session_id):
            yield followed.session
            return
        known = session_id not in self._lent and self.world.sessions.is_open(session_id)
        session = await self._opened(session_id)
        if known:
            yield session
            return
        self._lent[session_id] = self._lent.get(session_id, 0) + 1
        try:
            yield session
        finally:
            self._lent[session_id] -= 1
            if not self._lent[session_id]:
                del self._lent[session_id]
                if session_id not in self._attached:
                    await self.world.sessions.close(session_id)

    async def history(self, session: Session) -> SessionHistory:
        """What was said in this session, up to this moment. What was read once is kept with the session."""
        history = self._histories.setdefault(session, SessionHistory(NOTES, session.log.journal))
        await asyncio.to_thread(history.catch_up)
        history.catch_up()  # with what was recorded meanwhile
        return history

    def page(self, max_bytes: int) -> Page:
        """A result of so many bytes at most, as far as this door allows that."""
        return Page(max_bytes, largest_event(self.peer.limits, self.client))

    async def _opened(self, session_id: str) -> Session:
        await self.closed(session_id)
        try:
            return await self.world.sessions.open(session_id)
        except JournalBusy:
            raise session_busy(session_id) from None
        except JournalError as error:
            raise cannot_open(session_id, error) from None

    def attach(self, session: Session, call: Call) -> Attached:
        """Send this session's events to the client from now on, and say what of it could not be read."""
        if known := self._attached.get(session.session_id):
            return known
        if damage := session.log.journal.damage:
            notice = Notice("warning", "The session was damaged", damage)
            call.until_answered.callback(session.log.show, notice)
        attached = self._attached[session.session_id] = self._attached_to(session)
        call.until_answered.callback(self.world.prepare, session.state.cwd)  # after the next line's
        call.until_answered.callback(attached.offer)
        return attached

    def _attached_to(self, session: Session, role: Role = "own", *, leaves: str = "") -> Attached:
        gone = partial(self.detach, leaves or session.session_id)
        self.asked.update(session.state.questions)
        session.log.subscribe(self._remember_question)
        return Attached(session, self.peer, self.client, gone, partial(self._configured, session), role)

    def _remember_question(self, event: Entry | Transient, state: State) -> None:
        del state
        if isinstance(event, Entry) and isinstance(event.fact, Asked):
            self.asked.add(event.fact.request_id)

    def _configured(self, session: Session) -> object:
        """What says what a session offers, as it stands. Raises `ConfigError`."""
        setup = self.world.setup
        return setup, setup.load(session.state.cwd)

    def detach(self, session_id: str, *, unread: bool = True) -> None:
        """Send nothing more of this session to the client; it goes on. One that does not read is told."""
        attached = self._attached.get(session_id) or self._followed.get(session_id)
        if attached and attached.told:
            for one in (attached, *self._children(session_id)):
                if unread:
                    one.publisher.say_detached()
                one.leave()

    def welcome(self, child: Session, parent_id: str) -> Callable[[], None]:
        """Who hears of a session hears of its children and answers for them; gives what says goodbye."""
        parent, known = self._attached.get(parent_id), self._attached.get(child.session_id)
        if parent is None or known is not None:
            return lambda: None
        attached = self._attached_to(child, "child", leaves=parent_id)
        if not parent.told:
            attached.leave()
        self._attached = {child.session_id: attached, **self._attached}  # it is not the one used last
        return partial(self._dismiss, attached)

    def _dismiss(self, child: Attached) -> None:
        child.end()
        child.told = False
        if self._attached.get(child.session.session_id) is child:
            del self._attached[child.session.session_id]

    def _children(self, session_id: str) -> Iterator[Attached]:
        """Those that work for this session, and those that work for them."""
        for child in list(self._attached.values()):
            if child.session.state.parent_item and child.session.state.parent == session_id:
                yield child
                yield from self._children(child.session.session_id)

    async def check(self, cwd: str, options: JsonObject) -> None:
        """Whether a run in this folder could begin with these options. Raises `ConfigError`, `ModelError`."""
        await self.world.check(cwd, options)

    async def close(self, session_id: str, call: Call) -> None:
        """End what the session does, also what is not admitted yet; its last events go to the client."""
        attached = await self.open(session_id, call)
        if session_id in self._closing:
            await self.closed(session_id)
            return
        with self._closes(session_id):
            await self._end(attached)

    async def delete(self, session_id: str) -> None:
        """End what the session and its helpers do, and remove them. Raises `JournalError`, `JournalBusy`."""
        await self.closed(session_id)
        sessions = self.world.sessions
        with self._closes(session_id):
            self.admissions.cancel(session_id, BY_USER, all=True)
            if attached := self._attached.get(session_id):
                attached.session.cancel(queued="drop")
            await self.admissions.over(session_id)
            if attached := self._attached.get(session_id):
                await self._end(attached)
            for helper in await sessions.helpers(session_id):
                if attached := self._attached.get(helper):
                    await self._end(attached)
            await sessions.delete(session_id)

    @contextmanager
    def _closes(self, session_id: str) -> Generator[None]:
        """Until the end of the block nobody opens the session again."""
        closing = self._closing[session_id] = asyncio.get_running_loop().create_future()
        try:
            yield
        finally:
            del self._closing[session_id]
            closing.set_result(None)

    async def _end(self, attached: Attached) -> None:
        """Cancel every run of a session, those on their way into it too, and let go of it when they ended."""
        session = attached.session
        self.admissions.cancel(session.session_id, BY_USER, all=True)
        session.cancel(queued="drop")
        await self.admissions.over(session.session_id)
        await self.world.sessions.close(session.session_id)
        attached.end()
        if self._attached.pop(session.session_id, None):  # else it was a child, and is let go of already
            attached.publisher.show("sessionState", {"state": "closed", "queued": 0, "backgroundTasks": 0})
