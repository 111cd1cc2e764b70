"""One run that a program asked for: the tools that it lends to it, and what is done when it is over."""

import asyncio
import logging
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import TypeVar

from agls.doors.library.results import After, Artifact, Result, result_of, with_hooks
from agls.doors.library.tools import FunctionTool
from agls.engine.facts import Admitted, Glimpse, RunEnded, RunStarted
from agls.engine.log import Event
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Content

Live = TypeVar("Live")
Toolset = Callable[[Live], AbstractAsyncContextManager[Sequence[FunctionTool]]]
LEFT = "The agent was left before this run began. It waits in its session."
_log = logging.getLogger(__name__)


class Errand:
    """A run on its way. `register` is told its id as soon as there is one, before it can begin."""

    def __init__(
        self, content: tuple[Content, ...], after: Sequence[After], register: Callable[["Errand"], None]
    ) -> None:
        self.run_id, self.tools, self.made = "", tuple[FunctionTool, ...](), list[Artifact]()
        self._content, self._after, self._register = content, after, register
        self._lent = AsyncExitStack()
        loop = asyncio.get_running_loop()
        self.result: asyncio.Future[Result] = loop.create_future()
        self._begun: asyncio.Future[bool] = loop.create_future()

    async def lend(self, tools: Iterable[FunctionTool | Toolset[Live]], live: Live) -> None:
        """Take these tools along; a tool set that fails is left out, and what it opened is closed later."""
        for one in tools:
            if isinstance(one, FunctionTool):
                self.tools += (one,)
                continue
            try:
                self.tools += tuple(await self._lent.enter_async_context(one(live)))
            except Exception:  # noqa: BLE001 - somebody else's code can never keep a run from its work
                _log.exception("a tool set could not be opened")

    def hear(self, event: Event, state: State) -> None:
        """Find out which run it is, and that it begins or needs not begin any more."""
        if isinstance(event, Glimpse):
            return
        match event.fact:
            case Admitted(run_id, content=content) if content is self._content and not self.run_id:
                self.adopt(run_id)
            case RunStarted(run_id) | RunEnded(run_id) if run_id == self.run_id:
                self._settle(begun=True)
            case _:
                pass

    def adopt(self, run_id: str) -> None:
        """It is this run."""
        if run_id and not self.run_id:
            self.run_id = run_id
            self._register(self)

    def leave(self) -> None:
        """Nobody waits for it to begin any more."""
        self._settle(begun=False)

    async def see_through(self, session: Session) -> None:
        """Wait for the end, then do what comes after it; what was lent is taken back whatever happened."""
        try:
            if not await self._begun:
                raise JournalError(LEFT)
            ended = await session.finished(self.run_id)
            result = result_of(self.run_id, ended, session.log.journal.entries(), self.made)
            result = await with_hooks(result, self._after)
        except JournalError as lost:
            await self.close()
            self.result.set_exception(lost)
            self.result.exception()  # whether or not anybody waits for it
        else:
            await self.close()
            self.result.set_result(result)

    async def close(self) -> None:
        """Take back what was lent."""
        try:
            await self._lent.aclose()
        except Exception:  # noqa: BLE001 - somebody else's code can never change how a run ended
            _log.exception("a tool set could not be closed")

    def _settle(self, *, begun: bool) -> None:
        if not self._begun.done():
            self._begun.set_result(begun)
