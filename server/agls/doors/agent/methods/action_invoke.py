"""`agent/action/invoke`: do what a feature offers."""

import asyncio
from functools import partial

from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import breakable
from agls.doors.agent.connection import Connection
from agls.doors.agent.flow.sizes import fitted
from agls.doors.agent.idempotency import request_of
from agls.engine import run_action
from agls.engine.vocabulary import JsonObject, Text
from agls.views import values
from agls_protocol.sessions import ActionInvokeParams, ActionInvokeResult
from agls_protocol.types import PAGE_BYTES


async def invoke_action(connection: Connection, params: ActionInvokeParams, call: Call) -> JsonObject:
    """Do it; the same `clientKey` does it once, whoever asks. Events of a run it begins follow the answer.

    What only waits (for a summary, for an examination) can be broken off: then nothing was done.
    """
    attached = await connection.open(params.session_id, call)
    call.until_answered.enter_context(attached.publisher.held())
    request = request_of("agent/action/invoke", params)
    return await connection.idempotency.follow(
        attached.session, request, lambda: _invoke(attached, params, call)
    )


async def _invoke(attached: Attached, params: ActionInvokeParams, call: Call) -> ActionInvokeResult:
    outcome = await run_action.invoke(attached.session, params.name, params.input, partial(breakable, call))
    told = {"output": values.content_blocks([Text(outcome.text)]), "data": outcome.data}
    fit, _ = await asyncio.to_thread(fitted, told, PAGE_BYTES)  # a long one takes its time
    data = {**fit["data"], "_meta": fit["_meta"]} if outcome.data and fit is not told else fit["data"]
    return ActionInvokeResult(fit["output"], data, outcome.run_id or None)
