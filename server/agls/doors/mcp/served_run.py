"""One run that another agent asked for, from its prompt to its end."""

import asyncio
from collections.abc import Awaitable, Callable

from agls.config import ConfigError
from agls.doors.mcp.progress import RunProgress
from agls.doors.mcp.results import ServedEnd
from agls.doors.typed_text import admitted_content
from agls.engine.admission import Refused
from agls.engine.facts import Entry
from agls.engine.history import last_words
from agls.engine.log import Event
from agls.engine.ports import JournalError, ModelError
from agls.engine.recovery import continue_interrupted
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Stop, StopReason, Text
from agls.order import NOTES
from agls.room import PromptRefused
from agls.views.run_totals import RunTotals
from agls.world import World

NOTHING = "There is nothing to go on with in this session: say in `prompt` what to do."
BY_CLIENT = Stop(StopReason.CANCELLED, "cancelled by the other agent")
CANCELLED = "It was cancelled before it began."
Opening = Callable[[], Awaitable[Session]]


class NotBegun(Exception):
    """There was no run; the message says why, and what to do."""


class ServedRun:
    """A run in a session that `opening` opens. `options` are those of whoever started this server."""

    def __init__(
        self, world: World, options: JsonObject, opening: Opening, prompt: str, *, is_new: bool = False
    ) -> None:
        self._world = world
        self._options = options
        self._opening = opening
        self._prompt = prompt
        self._is_new = is_new
        self._session: Session | None = None
        self._is_cancelled = False
        self._totals = RunTotals()
        self.progress = RunProgress()
        self.over = asyncio.Event()

    def cancel(self) -> None:
        """Stop it, whether or not it has begun."""
        self._is_cancelled = True
        if self._session:
            self._session.cancel(stop=BY_CLIENT)

    async def work(self) -> ServedEnd | NotBegun:
        """Do all of it. **Returns** how it ended, or why there was no run."""
        try:
            return await self._work()
        except NotBegun as reason:
            return reason
        except (ConfigError, ModelError, JournalError, PromptRefused, Refused) as problem:
            hint = f" {problem.hint}" if isinstance(problem, ModelError) and problem.hint else ""
            return NotBegun(f"{problem}{hint}")
        finally:
            self.progress.end()
            self.over.set()

    async def _work(self) -> ServedEnd:
        session, sessions = await self._opening(), self._world.sessions
        unsubscribe = session.log.subscribe(self._observe)
        try:
            run_id = await self._begin(session)
            ended = await session.finished(run_id)
        except BaseException:
            if self._is_new and self._session is None:  # it is empty
                await sessions.delete(session.session_id)
            raise
        finally:
            unsubscribe()
            await sessions.close(session.session_id)  # an editor can have it now
        stop = ended.stop
        text = last_words(ended.state.transcript)
        return ServedEnd(session.session_id, stop.reason, stop.detail, text, self._totals.end(stop))

    async def _begin(self, session: Session) -> str:
        """Admit the prompt. **Returns** the id of the run."""
        world, state = self._world, session.state
        await world.check(state.cwd, {**state.options, **self._options})
        world.choose(session.session_id, self._options)
        content = (Text(self._prompt),) if self._prompt.strip() else ()
        if content:  # it was not typed: no `@` and no `/` of it means more than its letters
            content = await admitted_content(world, session, content, expand=False)
        if self._is_cancelled:
            raise NotBegun(CANCELLED)
        self._session = session
        self.progress.session_id = session.session_id
        if content:
            return (await session.prompt(content, options=self._options)).run_id
        if run_id := await continue_interrupted(session):
            return run_id
        raise NotBegun(NOTHING)

    def _observe(self, event: Event, state: State) -> None:
        self.progress.observe(event, state)
        if isinstance(event, Entry):
            self._totals.take(event.fact, NOTES)
