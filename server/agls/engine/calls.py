"""How a tool call is settled: its tool found, the wrappers asked, its start and its end recorded."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterator, Sequence
from typing import Any

from agls.engine.facts import Fact, ToolDelta, ToolFinished, ToolStarted, TurnStarted
from agls.engine.feature import AroundTool, ConsentedCall, Invocation, RunSetup, RunView, wrap_tool
from agls.engine.log import Log
from agls.engine.ports import Effect, Preview, Tool, ToolContext, ToolSpec
from agls.engine.together import together
from agls.engine.vocabulary import ToolCall, ToolOutcome

NEAR = 3  # tools that are named in the place of one that there is not
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
    found = next((tool for tool in offered if tool.spec.name == call.name), None)
    if found is None:
        known = ", ".join(tool.spec.name for tool in offered) or "none"
        near = _near(call.name, offered)
        meant = f" Did you mean {' or '.join(near)}?" if near else ""
        return NoTool(call.name, f"There is no tool called {call.name!r}.{meant} Tools: {known}.")
    if call.malformed:
        problem = f"The arguments of {call.name} are not a JSON object: {call.malformed[:500]}"
        return NoTool(call.name, f"{problem}\nCall it again with valid JSON.")
    return found


def _near(name: str, offered: Sequence[Tool]) -> list[str]:
    """Return the names that are most like one that no tool has."""
    from difflib import get_close_matches  # noqa: PLC0415 - only a mistake needs it

    plain = {tool.spec.name.casefold(): tool.spec.name for tool in offered}
    return [plain[each] for each in get_close_matches(name.casefold(), plain, NEAR)]


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

    def settled(call: ToolCall) -> Coroutine[Any, Any, None]:
        settling = Settling(call, log, record)
        context = ToolContext(run_setup.workspace, call.call_id, settling.show)
        invocation = Invocation(call, find_tool(call, offered), context)
        return settling.settle(invocation, run_setup.around_tool, view)

    for batch in batches(calls, offered):
        if len(batch) == 1:  # as nearly always: it needs no task of its own
            await settled(batch[0])
            continue
        try:
            await together(settled(call) for call in batch)
        except ExceptionGroup as crashes:
            raise crashes.exceptions[0] from crashes


async def pass_call(
    call: ToolCall, consent: str, offered: Sequence[Tool], run_setup: RunSetup, view: RunView, log: Log
) -> ToolOutcome:
    """Pass a call of a room through the wrappers. **Returns** its outcome; nothing of it is recorded here.

    What its room noted before it is durable first: a continued run must know that the call began.
    """
    await log.sync()
    context = ToolContext(run_setup.workspace, call.call_id, _unheard)
    consented = ConsentedCall(consent, call) if consent else None
    invocation = Invocation(call, find_tool(call, offered), context, consent=consented)
    return await wrap_tool(run_setup.around_tool, view, _take_effect)(invocation)


def _unheard(text: str) -> None:
    """Drop live output: it is in the outcome."""


async def _take_effect(invocation: Invocation) -> ToolOutcome:
    """Run the tool; what it raises is contained."""
    try:
        return await invocation.tool(invocation.call, invocation.context)
    except (asyncio.CancelledError, KeyboardInterrupt, GeneratorExit):
        raise
    except BaseException as problem:  # noqa: BLE001 - a tool's crash is contained, even a sys.exit()
        name = invocation.call.name
        _log.exception("the tool %s raised", name)
        text = f"The tool {name} failed unexpectedly: {type(problem).__name__}: {problem}"
        return ToolOutcome(text, status="failed", effects="unknown")


class Settling:
    """Settles one call: every way out records exactly one `ToolFinished`, or leaves it to `RunEnded`."""

    def __init__(self, call: ToolCall, log: Log, record: Callable[[Fact], None]) -> None:
        self._call_id = call.call_id
        self._log = log
        self._record = record
        self._shown = ""

    async def settle(self, invocation: Invocation, wrappers: Sequence[AroundTool], view: RunView) -> None:
        """Ask the wrappers, run the tool, and record how it ended.

        An exception of a wrapper is let through.
        """
        try:
            outcome = await wrap_tool(wrappers, view, self._run)(invocation)
        except asyncio.CancelledError:
            self._record(ToolFinished(self._call_id, self._cancelled()))
            raise
        self._record(ToolFinished(self._call_id, outcome.settled()))

    def show(self, text: str) -> None:
        """Stream output to the user; its end is kept in case the call is cancelled."""
        delta = ToolDelta.of(self._call_id, text)
        self._shown = (self._shown + delta.text)[-KEPT_OUTPUT:]
        self._log.show(delta)

    async def _run(self, invocation: Invocation) -> ToolOutcome:
        call, tool = invocation.call, invocation.tool
        self._record(ToolStarted(self._call_id, call.name, call.arguments))
        if not tool.spec.effects <= READ_ONLY:
            await self._log.sync()
        return await _take_effect(invocation)

    def _cancelled(self) -> ToolOutcome:
        if not self._log.state.calls[self._call_id].started:
            return ToolOutcome("[Cancelled before it ran.]", status="cancelled")
        text = "[Cancelled while it ran; what it did is unknown.]"
        output = f"\nIts output until then:\n{self._shown}" if self._shown else ""
        return ToolOutcome(text + output, status="cancelled", effects="unknown")
