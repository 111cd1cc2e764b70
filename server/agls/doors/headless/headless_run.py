"""One headless run of a session, with its output and its responder."""

import asyncio
import time
from collections.abc import Callable, Sequence
from itertools import chain

from agls.doors.action_list import action_list
from agls.doors.headless.exits import Exit, exit_of
from agls.doors.headless.open_session import PreparedRun
from agls.doors.headless.output import JsonLines, Output
from agls.doors.headless.responders import Responder
from agls.doors.headless.shutdown import Shutdown
from agls.engine.facts import Entry, Notice, RunEnded
from agls.engine.log import Event
from agls.engine.ports import JournalError
from agls.engine.recovery import continue_interrupted
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject
from agls.order import NOTES
from agls.views.project import Projection
from agls.views.session_history import SessionHistory
from agls.world import World

NOT_SAVED = Notice(
    "error",
    "This session is not saved",
    "What could not be written is lost now: do not count on resuming it.",
)


class HeadlessRun:
    """Prompts the session, shows its events, and puts its questions to the responder.

    A session that `stays` open goes on when its run was cancelled.
    """

    def __init__(
        self,
        world: World,
        prepared: PreparedRun,
        output: Output,
        responder: Responder,
        shutdown: Shutdown,
        *,
        stays: bool = False,
    ) -> None:
        session = prepared.session
        self._world = world
        self._prepared = prepared
        self._session = session
        self._output = output
        self._responder = responder
        self._shutdown = shutdown
        self._stays = stays
        known = None if prepared.is_new else session.state
        self._projection = Projection(NOTES, session.session_id, session.log.journal.epoch, known)
        output.spare(self._projection.caught_up)
        self._run_id = self._admitted = prepared.begun
        self._unanswered = 0
        self._kept = not session.log.journal.trouble  # else the user knows that it is gone with the process
        self._unsaved = False
        self._ended: JsonObject = {}

    @property
    def has_begun(self) -> bool:
        """Whether a run was admitted."""
        return bool(self._run_id)

    async def run(self) -> int:
        """Prompt and wait for the end.

        **Returns** the exit code. **Raises** `JournalError` when there is no end.
        """
        if self._prepared.is_new:
            for entry in self._session.log.journal.entries():
                self._tell(self._projection.events(entry))
        elif self._prepared.since is not None:
            self._tell_again(self._prepared.since)
        if isinstance(self._output, JsonLines):  # for people they are nothing but a delay
            self._tell(self._projection.event("commands", {"commands": self._commands()}, time.time()))
        hosts, leave = self._world.sessions.hosts, self._session.log.subscribe(self._watch)
        hosts.append(self._welcome)
        for heard in self._prepared.heard:
            heard.pass_on(self._session)
        self._shutdown.runs(self)
        self._responder.attach(self._session)
        try:
            run_id = await self._begin()
            async with asyncio.TaskGroup() as group:
                serving = group.create_task(self._responder.serve(self._session))
                lost = await self._end_of(run_id)
                await self._responder.settle()
                serving.cancel()
        finally:
            leave()
            hosts.remove(self._welcome)
        if self._ended:
            if self._unanswered:  # by its children as well: a human was needed
                self._ended["data"]["unanswered"] = (
                    self._ended["data"].get("unanswered", 0) + self._unanswered
                )
            code = exit_of(self._ended["data"])
            code = Exit.FAILED if code is Exit.DONE and (lost or self._unsaved) else code
            self._output.end(self._ended, code)
            return code
        raise lost or JournalError("The end of the run was not recorded.")

    async def _begin(self) -> str:
        """Admit the prompt, or begin the run that waits since its process died, where none was begun already.

        **Returns** the run to wait for.
        """
        prepared, queue = self._prepared, self._session.state.queue
        if prepared.begun:
            return prepared.begun
        if prepared.content or prepared.recovers or not queue:
            said, options = prepared.content, prepared.options
            return (await self._session.prompt(said, options=options, recovers=prepared.recovers)).run_id
        self._run_id = queue[-1].run_id
        await continue_interrupted(self._session)
        return self._run_id

    async def _end_of(self, run_id: str) -> JournalError | None:
        """Wait for the end of the run. **Returns** the error that kept it from being recorded."""
        try:
            await self._session.finished(run_id)
        except JournalError as lost:
            return lost
        return None

    def cancel(self) -> None:
        """Cancel the running run and the one that was asked for here.

        Prompts of another process go on waiting.
        """
        self._end_with_what_runs()
        self._session.cancel(self._admitted)
        self._session.cancel()
        if not self._stays:
            self._close()

    def interrupt(self) -> None:
        """End what runs so that it can be gone on with."""
        self._end_with_what_runs()
        self._close()

    def _commands(self) -> list[JsonObject]:
        """Return the actions that can be invoked: while the run is on, by a program that writes requests."""
        return [
            each for each in action_list(self._session) if self._responder.invokes and each["when"] != "idle"
        ]

    def _close(self) -> None:
        """Close the session, so that nothing else begins."""
        sessions = self._world.sessions
        sessions.spawn(sessions.close(self._session.session_id))

    def _end_with_what_runs(self) -> None:
        """End with the running run, also when the one asked for here still waits behind it."""
        if self._session.state.running:
            self._run_id = self._session.state.run_id

    def _welcome(self, child: Session, parent_id: str) -> Callable[[], None]:
        """Show the events of a child to programs, and put its questions to the responder."""
        projection = Projection(NOTES, child.session_id, child.log.journal.epoch, child.state)

        def watch(event: Event, state: State) -> None:
            for wire_event in _events(projection, event, state):
                if wire_event["type"] == "runEnded":
                    self._unanswered += wire_event["data"].get("unanswered", 0)
                if isinstance(self._output, JsonLines) and not self._ended:
                    self._output.event(wire_event)

        self._responder.attach(child)
        return child.log.subscribe(watch)

    def _tell_again(self, since: int) -> None:
        """Everything behind this fact, for who reads no more of it elsewhere."""
        history = SessionHistory(NOTES, self._session.log)
        for wire_event in chain.from_iterable(history.facts(since, self._session.state.seq + 1)):
            if self._run_id:
                self._tell([wire_event])
            else:
                self._output.event(wire_event)

    def _watch(self, event: Event, state: State) -> None:
        if (
            isinstance(event, Entry)
            and isinstance(event.fact, RunEnded)
            and self._session.log.journal.trouble
        ):
            self._unsaved = self._kept
            self._tell(self._projection.transient(NOT_SAVED, time.time()))
        self._tell(_events(self._projection, event, state))

    def _tell(self, events: Sequence[JsonObject]) -> None:
        for wire_event in events:
            if self._ended:
                return
            if wire_event["type"] == "runAdmitted" and not self._run_id:
                self._run_id = self._admitted = wire_event["runId"]
            if wire_event["type"] == "runEnded" and wire_event["runId"] == self._run_id:
                self._ended = wire_event  # the last event: it waits until everything else is written
            else:
                self._output.event(wire_event)


def _events(projection: Projection, event: Event, state: State) -> list[JsonObject]:
    if isinstance(event, Entry):
        return projection.events(event, state)
    return projection.transient(event, time.time())
