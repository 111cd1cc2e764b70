"""How a tool call is settled: its tool found, the wrappers asked, its start and its end recorded."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Sequence

from agls.engine.facts import Fact, ToolDelta, ToolFinished, ToolStarted, TurnStarted
from agls.engine.feature import Feature, Invocation, RunSetup, RunView, wrap_tool
from agls.engine.log import Log
from agls.engine.ports import Effect, Preview, Tool, ToolContext, ToolSpec
from agls.engine.vocabulary import ToolCall, ToolOutcome

KEPT_OUTPUT = 16_384  # characters of a cancelled call's output that are kept for the model
READ_ONLY = frozenset({Effect.READS})
_log = logging.getLogger(__name__)


def begins(fact: Fact) -> bool:
    """Return whether this fact takes the run a step further, which none does once the run shall end.

    See protocol#cancel.
    """
    return isinstance(fact, TurnStarted | ToolStarted)


class NoTool:
    """Stands in for a tool that cannot be called, so that its failure takes the way of every outcome."""

    def __init__(self, name: str, problem: str) -> None:
        self.spec = ToolSpec(name, "", {}, frozenset())
        self._problem = problem

    async def preview(self, call: ToolCall, context: ToolContext) -> Preview:
        """Return an empty preview: nothing would happen."""
        return Preview(call.name, {"type": "tool", "name": call.name, "input": call.arguments})

    async def __call__(self, call: ToolCall, context: ToolContext) -> ToolOutcome:
        """Return the failure, with its reason."""
        return ToolOutcome(self._problem, status="failed")


def find_tool(call: ToolCall, offered: Sequence[Tool]) -> Tool:
    """Return the tool of a call, or one that explains why there is none."""
    names = [tool.spec.name for tool in offered]
    if call.name not in names:
        known = ", ".join(names) or "none"
        return NoTool(call.name, f"There is no tool called {call.name!r}. Tools: {known}.")
    if call.malformed:
        problem = f"The arguments of {call.name} are not a JSON object: {call.malformed[:500]}"
        return NoTool(call.name, f"{problem}\nCall it again with valid JSON.")
    return offered[names.index(call.name)]


def batches(calls: Sequence[ToolCall], tools: Sequence[Tool]) -> Iterator[list[ToolCall]]:
    """Yield the calls in order, in batches that may run side by side: reading neighbours, or one call."""
    batch: list[ToolCall] = []
    for call in calls:
        if find_tool(call, tools).spec.effects <= READ_ONLY:
            batch.append(call)
            continue
        if batch:
            yield batch
        yield [call]
        batch = []
    if batch:
        yield batch


async def settle(
    calls: Sequence[ToolCall],
    offered: Sequence[Tool],
    run_setup: RunSetup,
    view: RunView,
    log: Log,
    record: Callable[[Fact], None],
) -> None:
    """Settle all calls of one reply: neighbours that only read side by side, the others in order."""
    for batch in batches(calls, offered):
        try:
            async with asyncio.TaskGroup() as group:
                for call in batch:
                    settling = Settling(call, log, record)
                    context = ToolContext(run_setup.workspace, call.call_id, settling.show)
                    invocation = Invocation(call, find_tool(call, offered), context)
                    group.create_task(settling.settle(invocation, run_setup.features, view))
        except ExceptionGroup as crashes:
            raise crashes.exceptions[0] from crashes


class Settling:
    """Settles one call: every way out records exactly one `ToolFinished`, or leaves it to `RunEnded`."""

    def __init__(self, call: ToolCall, log: Log, record: Callable[[Fact], None]) -> None:
        self._call_id = call.call_id
        self._log = log
        self._record = record
        self._shown = ""

    async def settle(self, invocation: Invocation, features: Sequence[Feature], view: RunView) -> None:
        """Ask the wrappers, run the tool, and record how it ended.

        An exception of a wrapper is let through.
        """
        try:
            outcome = await wrap_tool(features, view, self._run)(invocation)
        except asyncio.CancelledError:
            self._record(ToolFinished(self._call_id, self._cancelled()))
            raise
        self._record(ToolFinished(self._call_id, outcome))

    def show(self, text: str) -> None:
        """Stream output to the user; its end is kept in case the call is cancelled."""
        self._shown = (self._shown + text)[-KEPT_OUTPUT:]
        self._log.show(ToolDelta(self._call_id, text))

    async def _run(self, invocation: Invocation) -> ToolOutcome:
        call, tool = invocation.call, invocation.tool
        self._record(ToolStarted(self._call_id, call.name, call.arguments))
        if not tool.spec.effects <= READ_ONLY:
            await self._log.sync()
        try:
            return await tool(call, invocation.context)
        except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as problem:  # noqa: BLE001 - a tool's crash is contained, even a sys.exit()
            _log.exception("the tool %s raised", call.name)
            text = f"The tool {call.name} failed unexpectedly: {type(problem).__name__}: {problem}"
            return ToolOutcome(text, status="failed", effects="unknown")

    def _cancelled(self) -> ToolOutcome:
        if not self._log.state.calls[self._call_id].started:
            return ToolOutcome("[Cancelled before it ran.]", status="cancelled")
        text = "[Cancelled while it ran; what it did is unknown.]"
        output = f"\nIts output until then:\n{self._shown}" if self._shown else ""
        return ToolOutcome(text + output, status="cancelled", effects="unknown")
