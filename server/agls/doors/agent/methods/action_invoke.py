"""`agent/action/invoke`: do what a feature offers."""

from functools import partial

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import request_of
from agls.doors.agent.invocation import follow_action
from agls.engine.vocabulary import JsonObject
from agls_protocol.sessions import ActionInvokeParams


async def invoke_action(connection: Connection, params: ActionInvokeParams, call: Call) -> JsonObject:
    """Do it; the same `clientKey` does it once, whoever asks. Events of a run it begins follow the answer.

    What only waits (for a summary, for an examination) can be broken off: then nothing was done.
    """
    attached = await connection.open(params.session_id, call)
    call.until_answered.enter_context(attached.publisher.held())
    request = request_of("agent/action/invoke", params)
    work = partial(follow_action, attached, params.name, params.input, call)
    return await connection.idempotency.follow(attached.session, request, work)
