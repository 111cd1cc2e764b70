"""An action is done for a request, which may be cancelled meanwhile."""

import asyncio
from functools import partial

from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import breakable
from agls.doors.agent.flow.sizes import fitted
from agls.engine import run_action
from agls.engine.vocabulary import JsonObject, Text
from agls.views import values
from agls_protocol.sessions import ActionInvokeResult
from agls_protocol.types import PAGE_BYTES


async def follow_action(attached: Attached, name: str, given: JsonObject, call: Call) -> ActionInvokeResult:
    """Do an action with this input. **Raises** `Refused`, `ActionError` and `Bad` (it was broken off)."""
    outcome = await run_action.invoke(attached.session, name, given, partial(breakable, call))
    told = {"output": values.content_blocks([Text(outcome.text)]), "data": outcome.data}
    fit, _ = await asyncio.to_thread(fitted, told, PAGE_BYTES)  # a long one takes its time
    data = {**fit["data"], "_meta": fit["_meta"]} if outcome.data and fit is not told else fit["data"]
    return ActionInvokeResult(fit["output"], data, outcome.run_id or None)
