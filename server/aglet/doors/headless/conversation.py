"""One headless run of a session, with its output and its human."""

import asyncio
import sys

from aglet.assembly import World
from aglet.doors.headless.begin import Beginning
from aglet.doors.headless.exits import Exit, exit_of
from aglet.doors.headless.leaving import Leaving
from aglet.doors.headless.output import Output
from aglet.doors.headless.screen import Screen
from aglet.doors.headless.terminal import Keyboard, Terminal, attended
from aglet.doors.to_wire import Translator
from aglet.engine.log import Event
from aglet.engine.ports import JournalError
from aglet.engine.state import State
from aglet.engine.vocabulary import JsonObject


class Conversation:
    """Prompts the session, shows what happens, and puts its questions to whoever is there."""

    def __init__(self, world: World, beginning: Beginning, output: Output, leaving: Leaving) -> None:
        session = beginning.session
        self._world, self._beginning, self._session = world, beginning, session
        self._output, self._leaving = output, leaving
        known = None if beginning.is_new else session.state
        self._translator = Translator(session.session_id, session.log.journal.epoch, known)
        self._run_id = ""
        self._ended: JsonObject = {}

    async def run(self, screen: Screen) -> int:
        """Prompt, wait for the end, give the exit code. Raises `JournalError` when it has no end."""
        if self._beginning.is_new:
            for entry in self._session.log.journal.entries():
                self._watch(entry, self._session.state)
        self._session.log.subscribe(self._watch)
        self._leaving.runs(self._session)
        terminal = self._attend(screen)
        admission = await self._session.prompt(
            self._beginning.content, options=self._beginning.options, recovers=self._beginning.recovers
        )
        async with asyncio.TaskGroup() as group:
            attendants = [group.create_task(self._close_when_interrupted())]
            if terminal:
                attendants.append(group.create_task(terminal.serve(self._session.questions)))
            lost = await self._end_of(admission.run_id)
            for attendant in attendants:
                attendant.cancel()
        if lost and not self._ended:
            raise lost
        return exit_of(self._ended) or (Exit.FAILED if lost else Exit.DONE)

    async def _end_of(self, run_id: str) -> JournalError | None:
        """Wait for the end of the run; gives what kept it from being recorded."""
        try:
            await self._session.finished(run_id)
        except JournalError as lost:
            return lost
        return None

    def _attend(self, screen: Screen) -> Terminal | None:
        """Take a seat at the terminal, if there is somebody: before the run begins, so that it may ask."""
        if not attended():
            return None
        terminal = Terminal(screen, Keyboard(sys.stdin))
        self._session.log.subscribe(terminal.watch)
        self._session.questions.attend(True)
        return terminal

    async def _close_when_interrupted(self) -> None:
        await self._leaving.interrupted.wait()
        await self._world.sessions.close(self._session.session_id)

    def _watch(self, event: Event, state: State) -> None:
        for told in self._translator.events(event):
            if self._ended:
                return  # `runEnded` is the last word
            if told["type"] == "runAdmitted":
                self._run_id = self._run_id or told["runId"]
            if told["type"] == "runEnded" and told["runId"] == self._run_id:
                self._ended = told["data"]
            self._output.event(told)
