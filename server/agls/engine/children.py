"""Sessions that work for another session: begun, accounted for, and ended with it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace

from agls.engine.admission import Refused, Request
from agls.engine.facts import Cut, Entry, Fact, Noted, Replied, SessionChanged, ToolStarted, Used
from agls.engine.limits import NOTHING, Totals
from agls.engine.log import Event, Observer
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.engine.sessions import Sessions, made_for
from agls.engine.spawning import Begin, Errand, Returned, Spawner
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, StopReason, Usage


class Children:
    """Implements `Spawner` for one session."""

    def __init__(self, sessions: Sessions, parent: Session) -> None:
        self._sessions, self._parent = sessions, parent

    @property
    def state(self) -> State:
        """The parent's state now."""
        return self._parent.state

    def note(self, feature: str, kind: str, data: JsonObject) -> None:
        """Record a room's fact in the parent."""
        self._parent.log.record(Noted(feature, kind, data))

    def delegated(self, by: str) -> None:
        """Count one more piece of work that was handed over in the parent's budget."""
        self._parent.log.record(Used(by, Usage(), 0.0, model_calls=0, delegated_tasks=1))

    def child_of(self, errand: Errand) -> str:
        """The id of the child: the same for the same errand, so that it can be known before it is there."""
        return errand.resumes or made_for(self._request(errand))

    @asynccontextmanager
    async def family(self) -> AsyncGenerator[Begin]:
        """Begin errands; at the end those that are not done are cancelled, and waited for."""
        working: list[asyncio.Task[Returned]] = []

        def begin(errand: Errand) -> asyncio.Future[Returned]:
            working.append(self._sessions.spawn(self._carry_out(errand)))
            return working[-1]

        try:
            yield begin
        finally:
            for task in working:
                task.cancel()
            if working:
                await asyncio.wait(working)

    @asynccontextmanager
    async def visit(self, session_id: str) -> AsyncGenerator[Spawner]:
        """A child at rest. Raises `JournalError`."""
        known = self._sessions.is_open(session_id)
        child = await self._sessions.open(session_id)
        try:
            yield Children(self._sessions, child)
            self._settle(child)
        finally:
            if not known:
                await self._sessions.close(session_id)

    async def _carry_out(self, errand: Errand) -> Returned:
        try:
            async with self._lodged(errand) as child:
                await self._parent.log.sync()  # what is known of the call survives what comes of it
                return await self._work(child, errand)
        except (JournalError, Refused) as problem:
            return Returned(Stop(StopReason.INTERNAL_ERROR, str(problem), "internal"), State())

    async def _work(self, child: Session, errand: Errand) -> Returned:
        key = self._request(errand).key
        try:
            admission = await child.prompt(errand.content, "ifIdle", key=key)
            ended = await child.finished(admission.run_id)
        finally:
            await _end(child, key)
        return Returned(ended.stop, ended.state)

    @asynccontextmanager
    async def _lodged(self, errand: Errand) -> AsyncGenerator[Session]:
        """The child of an errand, with somebody to see and answer it; let go of when it rests again."""
        state, guests = self._parent.state, ExitStack()
        known = bool(errand.resumes) and self._sessions.is_open(errand.resumes)
        about = SessionChanged(
            state.cwd,
            errand.title,
            self._parent.session_id,
            state.roots,
            errand.options,
            errand.call_id,
            state.depth + 1,
        )

        def welcome(child: Session) -> None:
            self._settle(child)
            for host in self._sessions.hosts:
                guests.callback(host(child, self._parent.session_id))
            guests.callback(child.log.subscribe(self._charge_for(child.session_id)))

        if errand.resumes:
            child = await self._sessions.open(errand.resumes)
            self._check(child)
            welcome(child)
            child.log.record(about)
        else:
            child = await self._sessions.make(about, self._request(errand), welcome)
        try:
            yield child
        finally:
            with guests:
                if not known and not child.state.running and not child.state.queue:
                    await self._sessions.close(child.session_id)

    def _request(self, errand: Errand) -> Request:
        return Request("/".join((self._parent.session_id, errand.call_id, errand.label)))

    def _check(self, child: Session) -> None:
        if not child.state.parent_item or child.state.parent != self._parent.session_id:
            message = (
                f"{child.session_id} is no child of this session, so it cannot be told to go on from here."
            )
            raise Refused(message, "noSuchItem")

    def _charge_for(self, child_id: str) -> Observer:
        def charge(event: Event, state: State) -> None:
            if isinstance(event, Entry) and (used := _used(child_id, event.fact)):
                self._parent.log.record(used)

        return charge

    def _settle(self, child: Session) -> None:
        """Charge what a crash kept from being charged: all but as much as the parent knows of."""
        charged, seen = _counted(self.state.used_by.get(child.session_id, NOTHING)), NOTHING
        for entry in child.log.journal.entries():
            if used := _used(child.session_id, entry.fact):
                seen = seen.used(used)
                if _counted(seen) > charged:
                    self._parent.log.record(used)


def _used(child_id: str, fact: Fact) -> Used | None:
    """What a fact of the child means for its parent's budget; each counts as something (`_counted`)."""
    match fact:
        case Replied(usage=usage, cost=cost):
            return Used(child_id, usage, cost)
        case Cut(usage=usage):
            return Used(child_id, usage)
        case ToolStarted():
            return Used(child_id, Usage(), 0.0, model_calls=0, tool_calls=1)
        case Used():
            return replace(fact, by=child_id)
        case _:
            return None


def _counted(totals: Totals) -> int:
    return totals.model_calls + totals.tool_calls + totals.delegated_tasks


async def _end(child: Session, key: str) -> None:
    """End what this key began, also when it was cancelled before that was known."""
    if begun := child.state.keys.get(key):
        child.cancel(begun[0].run_id)
        await child.finished(begun[0].run_id)
