"""A run that a program asked for: the tools that the program lends to it, and the work after its end."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import TypeVar

from agls.doors.library.foreign_code import within
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
LEFT = "The agent was closed before this run began. The run waits in its session."


class OpenToolset:
    """A tool set from its opening to its closing, in one task: its context manager may insist on that."""

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self._closing: asyncio.Future[None] = loop.create_future()
        self._opened: asyncio.Future[tuple[FunctionTool, ...]] = loop.create_future()
        self._task: asyncio.Task[None] | None = None

    async def open(self, toolset: Callable[[], Opening]) -> tuple[FunctionTool, ...]:
        """Open the tool set.

        **Returns** its tools. **Raises** what the tool set raises.
        """
        self._task = asyncio.get_running_loop().create_task(self._keep_open(toolset))
        await asyncio.wait({self._task, self._opened}, return_when=asyncio.FIRST_COMPLETED)
        if not self._opened.done():
            await self._task
        return self._opened.result()

    async def close(self) -> None:
        """Close the tool set and wait for it; one that is still opening is cancelled.

        **Raises** what the tool set raises.
        """
        if self._task is None or (self._task.done() and not self._opened.done()):
            return
        self._closing.cancel()
        if not self._opened.done():
            self._task.cancel()
        await self._task

    async def _keep_open(self, toolset: Callable[[], Opening]) -> None:
        async with toolset() as tools:
            self._opened.set_result(tuple(tools))
            await asyncio.wait({self._closing})


class PendingRun:
    """A run that was asked for. `register` is called as soon as it has an id, before it can begin."""

    def __init__(
        self,
        content: tuple[Content, ...],
        after: Sequence[After],
        register: Callable[["PendingRun"], None],
    ) -> None:
        self.run_id = ""
        self.tools = tuple[FunctionTool, ...]()
        self.made = list[Artifact]()
        self._content = content
        self._after = after
        self._register = register
        self._toolsets: list[OpenToolset] = []
        loop = asyncio.get_running_loop()
        self.result: asyncio.Future[Result] = loop.create_future()
        self._begun: asyncio.Future[bool] = loop.create_future()

    async def lend(self, tools: Iterable[FunctionTool | Toolset[Live]], live: Live) -> None:
        """Add these tools to the run. A tool set that fails, or never opens, is left out."""
        for tool in tools:
            if isinstance(tool, FunctionTool):
                self.tools += (tool,)
                continue
            self._toolsets.append(toolset := OpenToolset())
            self.tools += await within(OPENING, "opening a tool set", toolset.open(partial(tool, live))) or ()

    def observe(self, event: Event, state: State) -> None:
        """Learn the id of the run, and when the run begins or ends, from the events of its session."""
        if not isinstance(event, Entry):
            return
        match event.fact:
            case Admitted(run_id, content=content) if content is self._content and not self.run_id:
                self.set_id(run_id)
            case RunStarted(run_id) | RunEnded(run_id) if run_id == self.run_id:
                self._settle(begun=True)
            case _:
                pass

    def set_id(self, run_id: str) -> None:
        """Set the id, once; "" is none."""
        if run_id and not self.run_id:
            self.run_id = run_id
            self._register(self)

    def give_up(self) -> None:
        """Stop waiting for the run to begin. One that has begun goes on to its end."""
        self._settle(begun=False)

    async def wait_and_finish(self, session: Session) -> None:
        """Wait for the end, set the result, and close the tool sets whatever happened."""
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
        """Close the tool sets, the last one first."""
        while self._toolsets:
            await within(CLOSING, "closing a tool set", self._toolsets.pop().close())

    def _settle(self, *, begun: bool) -> None:
        if not self._begun.done():
            self._begun.set_result(begun)
