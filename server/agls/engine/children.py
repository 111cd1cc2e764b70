"""Sessions that work for another session: begun, charged to it, and ended with it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import ExitStack, asynccontextmanager
from dataclasses import replace

from agls.engine.admission import ClientRequest, Refused
from agls.engine.facts import Cut, Entry, Fact, Noted, Replied, SessionChanged, ToolStarted, Used
from agls.engine.limits import NOTHING, Totals
from agls.engine.log import Event, Observer
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.engine.sessions import Sessions, made_for
from agls.engine.spawning import Begin, ChildResult, ChildTask, Spawner
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, StopReason, Usage


class Children:
    """Implements `Spawner` for one session."""

    def __init__(self, sessions: Sessions, parent: Session) -> None:
        self._sessions = sessions
        self._parent = parent

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

    def child_of(self, child_task: ChildTask) -> str:
        """Return the id of the child: the same for the same task, so that it is known beforehand."""
        return child_task.resumes or made_for(self._request(child_task))

    @asynccontextmanager
    async def task_group(self) -> AsyncGenerator[Begin]:
        """Begin tasks; at the end those that are not done are cancelled, and waited for."""
        working: list[asyncio.Task[ChildResult]] = []

        def begin(child_task: ChildTask) -> asyncio.Future[ChildResult]:
            working.append(self._sessions.spawn(self._carry_out(child_task)))
            return working[-1]

        try:
            yield begin
        finally:
            for task in working:
                task.cancel()
            if working:
                await asyncio.wait(working)

    @asynccontextmanager
    async def open_child(self, session_id: str) -> AsyncGenerator[Spawner]:
        """Open a child that has no task. **Raises** `JournalError`."""
        known = self._sessions.is_open(session_id)
        child = await self._sessions.open(session_id)
        try:
            yield Children(self._sessions, child)
            self._settle(child)
        finally:
            if not known:
                await self._sessions.close(session_id)

    async def _carry_out(self, child_task: ChildTask) -> ChildResult:
        try:
            async with self._child_session(child_task) as child:
                await self._parent.log.sync()  # the facts of the call are durable before its effects
                return await self._work(child, child_task)
        except (JournalError, Refused) as problem:
            return ChildResult(Stop(StopReason.INTERNAL_ERROR, str(problem), "internal"), State())

    async def _work(self, child: Session, child_task: ChildTask) -> ChildResult:
        key = self._request(child_task).key
        try:
            admission = await child.prompt(child_task.content, "ifIdle", key=key)
            ended = await child.finished(admission.run_id)
        finally:
            await _end(child, key)
        return ChildResult(ended.stop, ended.state)

    @asynccontextmanager
    async def _child_session(self, child_task: ChildTask) -> AsyncGenerator[Session]:
        """Open the child of a task, with its hosts attached; close it when it rests again."""
        state, guests = self._parent.state, ExitStack()
        known = bool(child_task.resumes) and self._sessions.is_open(child_task.resumes)
        about = SessionChanged(
            state.cwd,
            child_task.title,
            self._parent.session_id,
            state.roots,
            child_task.options,
            child_task.call_id,
            state.depth + 1,
        )

        def welcome(child: Session) -> None:
            self._settle(child)
            for host in self._sessions.hosts:
                guests.callback(host(child, self._parent.session_id))
            guests.callback(child.log.subscribe(self._charge_for(child.session_id)))

        if child_task.resumes:
            child = await self._sessions.open(child_task.resumes)
            self._check(child)
            welcome(child)
            child.log.record(about)
        else:
            child = await self._sessions.make(about, self._request(child_task), welcome)
        try:
            yield child
        finally:
            with guests:
                if not known and not child.state.running and not child.state.queue:
                    await self._sessions.close(child.session_id)

    def _request(self, child_task: ChildTask) -> ClientRequest:
        return ClientRequest("/".join((self._parent.session_id, child_task.call_id, child_task.label)))

    def _check(self, child: Session) -> None:
        if not child.state.parent_item or child.state.parent != self._parent.session_id:
            message = (
                f"{child.session_id} is not a child of this session, so it cannot be continued from here."
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
    """Return what a fact of the child means for its parent's budget; each one counts (`_counted`)."""
    match fact:
        case Replied(usage=usage, cost=cost) | Cut(usage=usage, cost=cost):
            return Used(child_id, usage, cost)
        case ToolStarted():
            return Used(child_id, Usage(), 0.0, model_calls=0, tool_calls=1)
        case Used():
            return replace(fact, by=child_id)
        case _:
            return None


def _counted(totals: Totals) -> int:
    return totals.model_calls + totals.tool_calls + totals.delegated_tasks


async def _end(child: Session, key: str) -> None:
    """End the run that this key began, also when it was cancelled before that was known."""
    if begun := child.state.keys.get(key):
        child.cancel(begun[0].run_id)
        await child.finished(begun[0].run_id)
