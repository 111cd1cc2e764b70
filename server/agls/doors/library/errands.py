"""One run that a program asked for: the tools that it lends to it, and what is done when it is over."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TypeVar

from agls.doors.library.bounded import within
from agls.doors.library.results import After, Artifact, Result, result_of, with_hooks
from agls.doors.library.tools import FunctionTool
from agls.engine.facts import Admitted, Entry, RunEnded, RunStarted
from agls.engine.log import Event
from agls.engine.ports import JournalError
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import Content

Live = TypeVar("Live")
Opening = AbstractAsyncContextManager[Sequence[FunctionTool]]
Toolset = Callable[[Live], Opening]
OPENING, CLOSING = 60.0, 10.0  # seconds for one tool set
LEFT = "The agent was left before this run began. It waits in its session."


class Lodging:
    """A tool set from its opening to its closing, in one task: what it opens may insist on that."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._closing: asyncio.Future[None] = loop.create_future()
        self._opened: asyncio.Future[tuple[FunctionTool, ...]] = loop.create_future()
        self._stay: asyncio.Task[None] | None = None

    async def open(self, toolset: Callable[[], Opening]) -> tuple[FunctionTool, ...]:
        """The tools. Raises what the tool set raises."""
        self._stay = asyncio.get_running_loop().create_task(self._stays(toolset))
        await asyncio.wait({self._stay, self._opened}, return_when=asyncio.FIRST_COMPLETED)
        if not self._opened.done():
            await self._stay
        return self._opened.result()

    async def close(self) -> None:
        """Close it and wait. Raises what the tool set raises; one that does not open is given up."""
        if self._stay is None or (self._stay.done() and not self._opened.done()):
            return
        self._closing.cancel()
        if not self._opened.done():
            self._stay.cancel()
        await self._stay

    async def _stays(self, toolset: Callable[[], Opening]) -> None:
        async with toolset() as tools:
            self._opened.set_result(tuple(tools))
            await asyncio.wait({self._closing})


class Errand:
    """A run on its way. `register` is told its id as soon as there is one, before it can begin."""

    def __init__(
        self, content: tuple[Content, ...], after: Sequence[After], register: Callable[["Errand"], None]
    ) -> None:
        self.run_id = ""
        self.tools = tuple[FunctionTool, ...]()
        self.made = list[Artifact]()
        self._content = content
        self._after = after
        self._register = register
        self._lent: list[Lodging] = []
        loop = asyncio.get_running_loop()
        self.result: asyncio.Future[Result] = loop.create_future()
        self._begun: asyncio.Future[bool] = loop.create_future()

    async def lend(self, tools: Iterable[FunctionTool | Toolset[Live]], live: Live) -> None:
        """Take these tools along; a tool set that fails, or never opens, is left out."""
        for one in tools:
            if isinstance(one, FunctionTool):
                self.tools += (one,)
                continue
            self._lent.append(lodging := Lodging())
            self.tools += await within(OPENING, "opening a tool set", lodging.open(partial(one, live))) or ()

    def hear(self, event: Event, state: State) -> None:
        """Find out which run it is, and that it begins or needs not begin any more."""
        if not isinstance(event, Entry):
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
        """Take back what was lent, the last first."""
        while self._lent:
            await within(CLOSING, "closing a tool set", self._lent.pop().close())

    def _settle(self, *, begun: bool) -> None:
        if not self._begun.done():
            self._begun.set_result(begun)
