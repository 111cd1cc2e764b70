"""An action is done for a request, which may be cancelled meanwhile."""

import asyncio
from collections.abc import Generator
from contextlib import contextmanager
from functools import partial

from agls.doors.agent.call import Call
from agls.doors.agent.door import Attached
from agls.doors.agent.flow.sizes import fitted
from agls.doors.messages import CANCELLED, Bad
from agls.engine import run_action
from agls.engine.vocabulary import JsonObject, Text
from agls.views import values
from agls_protocol.sessions import ActionInvokeResult
from agls_protocol.types import PAGE_BYTES


async def follow_action(attached: Attached, name: str, given: JsonObject, call: Call) -> ActionInvokeResult:
    """Do an action with this input. **Raises** `Refused`, `ActionError` and `Bad` (it was broken off)."""
    outcome = await run_action.invoke(attached.session, name, given, partial(_breakable, call))
    told = {"output": values.content_blocks([Text(outcome.text)]), "data": outcome.data}
    fit, _ = await asyncio.to_thread(fitted, told, PAGE_BYTES)  # a long one takes its time
    data = {**fit["data"], "_meta": fit["_meta"]} if outcome.data and fit is not told else fit["data"]
    return ActionInvokeResult(fit["output"], data, outcome.run_id or None)


@contextmanager
def _breakable(call: Call) -> Generator[None]:
    """In the block the client may cancel the request. Raises `Bad`, which says so."""
    task = asyncio.current_task()
    assert task is not None
    broken_off = Bad(CANCELLED, "The request was cancelled. Everything is as it was.")
    if call.cancelled:
        raise broken_off
    call.interruptible = True
    try:
        yield
    except asyncio.CancelledError:
        if not call.cancelled:  # the connection ends
            raise
        task.uncancel()
        raise broken_off from None
    finally:
        call.interruptible = False
