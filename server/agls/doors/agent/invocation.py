"""An action is done for a request, which may be cancelled meanwhile."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager

from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import breakable
from agls.doors.agent.flow.sizes import fitted
from agls.engine import run_action
from agls.engine.actions import ActionOutcome
from agls.engine.vocabulary import JsonObject, Text
from agls.views import values
from agls_protocol.sessions import ActionInvokeResult
from agls_protocol.types import PAGE_BYTES


async def invoke(attached: Attached, name: str, given: JsonObject, call: Call) -> ActionOutcome:
    """Do an action with this input, while the caller holds the events of the session back.

    Where it only waits they go on their way: a run may be on, and the action may show what it waits for.

    **Raises** `Refused`, `ActionError` and `Bad` (it was broken off).
    """

    @contextmanager
    def waiting() -> Generator[None]:
        with attached.publisher.passing(), breakable(call):
            yield

    return await run_action.invoke(attached.session, name, given, waiting)


async def follow_action(attached: Attached, name: str, given: JsonObject, call: Call) -> ActionInvokeResult:
    """Do an action with this input, as `invoke` does. **Returns** what came of it."""
    return await result_of(await invoke(attached, name, given, call))


async def result_of(outcome: ActionOutcome) -> ActionInvokeResult:
    """Return what came of an action, no longer than a message may be."""
    whole = {"output": values.content_blocks([Text(outcome.text)]), "data": outcome.data}
    fit, _ = await asyncio.to_thread(fitted, whole, PAGE_BYTES)  # a long one takes its time
    data = {**fit["data"], "_meta": fit["_meta"]} if outcome.data and fit is not whole else fit["data"]
    return ActionInvokeResult(fit["output"], data, outcome.run_id or None)
