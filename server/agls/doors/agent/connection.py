"""What the methods work with: one client, and the sessions of the world that it uses."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import asynccontextmanager, suppress
from functools import partial
from weakref import WeakKeyDictionary

from agls.config import ConfigError
from agls.doors.agent.attached import Attached, Presenter, Role
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import PendingAdmissions, end_work
from agls.doors.agent.closing import Closing
from agls.doors.agent.flow.queue import largest_event
from agls.doors.agent.idempotency import Idempotency
from agls.doors.agent.peer import Peer
from agls.doors.agent.result_pages import Page
from agls.doors.agent.world import WorldPort
from agls.doors.errors import cannot_open, session_busy
from agls.doors.messages import JsonObject
from agls.engine.facts import Asked, Entry, Notice, Transient
from agls.engine.ports import JournalBusy, JournalError
from agls.engine.session import Session
from agls.engine.state import State
from agls.order import NOTES
from agls.views.session_history import SessionHistory


class Connection(ABC):
    """One client, and the sessions it uses. Each door makes its own.

    `folder` is the one it works in, "" for none; `options` are those of the sessions that it makes.
    """

    def __init__(self, world: WorldPort, peer: Peer, folder: str, options: JsonObject) -> None:
        self.world = world
        self.peer = peer
        self.client = peer.client
        self.folder = folder
        self.options = options
        self.idempotency = Idempotency()
        self.asked: set[str] = set()  # the ids of questions, also of sessions that are closed by now
        self._attached: dict[str, Attached] = {}
        self._followed: dict[str, Attached] = {}
        self._lent: dict[str, int] = {}
        self._histories = WeakKeyDictionary[Session, SessionHistory]()
        self.admissions = PendingAdmissions()
        self._closing = Closing()
        with suppress(ConfigError):  # then there are no sessions
            world.sessions.hosts.append(self.welcome)

    @abstractmethod
    def present(self, session: Session, role: Role) -> Presenter:
        """Return what shows this session in the terms of the door."""

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

    # --- opening ---

    async def open(self, session_id: str, call: Call) -> Attached:
        """Return the session, open for writing and attached. **Raises** `Bad` and `ConfigError`.

        A client of events that has left it gets them again only from where it resumes: else there would be
        a hole in what it knows.
        """
        if session_id in self._followed:
            raise session_busy(session_id)
        if known := self._used(session_id):
            if not known.session.log.is_whole:
                await asyncio.to_thread(known.session.log.fold_whole)
            if not self.client.events:
                self.join(known, call)
            return known
        return self.attach(await self._opened(session_id), call)

    async def watch(self, session_id: str, call: Call, *, control: bool) -> Attached:
        """Return the session, attached.

        One that another process has can only be read, unless `control` is wanted. Events of one that was left
        go out again from `join` on. **Raises** `Bad` and `ConfigError`.
        """
        await self._closing.over(session_id)
        if known := self._used(session_id):
            return known
        try:
            session = await self.world.sessions.open(session_id, whole=False)
        except JournalBusy:
            if control:
                raise session_busy(session_id) from None
            return await self._follow(session_id)
        except JournalError as error:
            raise cannot_open(session_id, error) from None
        if followed := self._followed.pop(session_id, None):
            with suppress(JournalError):  # a notice said so
                await self.world.sessions.unfollow(session_id)
            followed.end()
        return self.attach(session, call)

    def attach(self, session: Session, call: Call) -> Attached:
        """Send this session's events to the client from now on, and say what of it could not be read."""
        if known := self._attached.get(session.session_id):
            return known
        if damage := session.log.journal.damage:
            notice = Notice("warning", "The session was damaged", damage)
            call.until_answered.callback(session.log.show, notice)
        attached = self._attached[session.session_id] = self._attached_to(session)
        call.until_answered.callback(self.world.prepare, session.outline.cwd)  # after the next line's
        call.until_answered.callback(self._offer, attached)
        return attached

    def join(self, attached: Attached, call: Call) -> None:
        """Send the events of this session to the client again from here on, if it had left."""
        if attached.listens:
            return
        attached.join()
        call.until_answered.callback(self._offer, attached)
        for child in self._children(attached.session.session_id):
            child.join()
            call.until_answered.callback(child.asking.put_again)

    def _offer(self, attached: Attached) -> None:
        """Send the list of commands; of a session whose outline is known only, when all of it is folded."""
        if attached.session.log.is_whole:
            attached.offer()
        else:
            self.world.sessions.spawn(self._offer_of_whole(attached))

    async def _offer_of_whole(self, attached: Attached) -> None:
        await asyncio.to_thread(attached.session.log.fold_whole)
        attached.offer()

    @asynccontextmanager
    async def admission(self, session_id: str, call: Call) -> AsyncGenerator[None]:
        """While a run is admitted: a cancel of the session's work reaches it too, whenever it comes."""
        attached = self._attached.get(session_id)
        outline = attached.session.outline if attached else State()
        busy = outline.running or bool(outline.queue)
        opens = self._closing.over(session_id)
        async with self.admissions.under_way(session_id, call, busy=busy, opens=opens):
            yield

    @asynccontextmanager
    async def borrowed(self, session_id: str) -> AsyncGenerator[Session]:
        """Yield the session without its events; one opened for this is closed again. **Raises** `Bad`."""
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

    # --- reading ---

    async def history(self, session: Session) -> SessionHistory:
        """Return the history of this session, up to this moment. It is kept with the session."""
        if (history := self._histories.get(session)) is None:
            history = self._histories[session] = SessionHistory(NOTES, session.log)
            session.log.keepers.append(history.keep)
        await asyncio.to_thread(history.catch_up)
        history.catch_up()  # with what was recorded meanwhile
        return history

    def page(self, max_bytes: int) -> Page:
        """Return an empty result of so many bytes at most, as far as the limits allow that."""
        return Page(max_bytes, largest_event(self.peer))

    # --- leaving and ending ---

    def detach(self, session_id: str, *, unread: bool = True) -> None:
        """Send nothing more of this session to the client; it goes on. One that does not read is notified."""
        attached = self._attached.get(session_id) or self._followed.get(session_id)
        if attached and attached.listens:
            for one in (attached, *self._children(session_id)):
                if unread:
                    one.publisher.say_detached()
                one.leave()

    async def close(self, session_id: str, call: Call) -> None:
        """End what the session does, also what is not admitted yet; its last events go to the client."""
        attached = await self.open(session_id, call)
        if session_id in self._closing:
            await self._closing.over(session_id)
            return
        with self._closing.under_way(session_id):
            await self._end(attached)

    async def delete(self, session_id: str) -> None:
        """End what the session and its helpers do, and remove them.

        **Raises** `JournalError` and `JournalBusy`.
        """
        await self._closing.over(session_id)
        sessions = self.world.sessions
        with self._closing.under_way(session_id):
            attached = self._attached.get(session_id)
            end_work(session_id, attached and attached.session, self.admissions)
            await self.admissions.over(session_id)
            if attached := self._attached.get(session_id):
                await self._end(attached)
            for helper in await sessions.helpers(session_id):
                if attached := self._attached.get(helper):
                    await self._end(attached)
            await sessions.delete(session_id)

    async def _end(self, attached: Attached) -> None:
        """Cancel every run of a session, and let go of it when they ended."""
        session = attached.session
        end_work(session.session_id, session, self.admissions)
        await self.admissions.over(session.session_id)
        await self.world.sessions.close(session.session_id)
        attached.end()
        if self._attached.pop(session.session_id, None):  # else it was a child, and is let go of already
            attached.publisher.show("sessionState", {"state": "closed", "queued": 0, "backgroundTasks": 0})

    # --- children ---

    def welcome(self, child: Session, parent_id: str) -> Callable[[], None]:
        """Attach a child of an attached session, whose client answers for it. **Returns** what ends that."""
        parent, known = self._attached.get(parent_id), self._attached.get(child.session_id)
        if parent is None or known is not None:
            return lambda: None
        attached = self._attached_to(child, "child", leaves=parent_id)
        if not parent.listens:
            attached.leave()
        self._attached = {child.session_id: attached, **self._attached}  # it is not the one used last
        return partial(self._dismiss, attached)

    def _dismiss(self, child: Attached) -> None:
        child.end()
        child.listens = False
        if self._attached.get(child.session.session_id) is child:
            del self._attached[child.session.session_id]

    def _children(self, session_id: str) -> Iterator[Attached]:
        """Yield those that work for this session, and those that work for them."""
        for child in list(self._attached.values()):
            if child.session.outline.parent_item and child.session.outline.parent == session_id:
                yield child
                yield from self._children(child.session.session_id)

    # --- details ---

    def _used(self, session_id: str) -> Attached | None:
        """Return the attached session, which is the one used last from now on."""
        if known := self._attached.pop(session_id, None):
            self._attached[session_id] = known
        return known

    async def _opened(self, session_id: str) -> Session:
        await self._closing.over(session_id)
        try:
            return await self.world.sessions.open(session_id)
        except JournalBusy:
            raise session_busy(session_id) from None
        except JournalError as error:
            raise cannot_open(session_id, error) from None

    async def _follow(self, session_id: str) -> Attached:
        session = await self.world.sessions.follow(session_id)
        if session_id not in self._followed:
            self._followed[session_id] = self._attached_to(session, "followed")
        return self._followed[session_id]

    def _attached_to(self, session: Session, role: Role = "own", *, leaves: str = "") -> Attached:
        gone = partial(self.detach, leaves or session.session_id)
        self.asked.update(session.outline.questions)
        session.log.subscribe(self._remember_question)
        presenter, configured = self.present(session, role), partial(self._configured, session)
        return Attached(session, self.peer, presenter, gone, configured, role)

    def _remember_question(self, event: Entry | Transient, state: State) -> None:
        del state
        if isinstance(event, Entry) and isinstance(event.fact, Asked):
            self.asked.add(event.fact.request_id)

    def _configured(self, session: Session) -> object:
        """Return the settings behind what a session offers, as they stand. **Raises** `ConfigError`."""
        setup = self.world.setup
        return setup, setup.load(session.outline.cwd)
