"""`agent/action/invoke`: do what a feature offers (protocol, part 1)."""

from aglet.doors import shapes
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Attached, Door
from aglet.doors.lsp.once import request_of
from aglet.engine import invoking
from aglet.engine.vocabulary import JsonObject, Text
from aglet_protocol.sessions import ActionInvokeParams, ActionInvokeResult


async def invoke_action(door: Door, params: ActionInvokeParams, call: Call) -> JsonObject:
    """Do it; the same `clientKey` does it once, whoever asks. Events of a run it begins follow the answer."""
    attached = await door.open(params.session_id, call)
    call.until_answered.enter_context(attached.publisher.held())
    request = request_of("agent/action/invoke", params)
    return await door.once.do(attached.session, request, lambda: _invoke(attached, params))


async def _invoke(attached: Attached, params: ActionInvokeParams) -> ActionInvokeResult:
    outcome = await invoking.invoke(attached.session, params.name, params.input)
    told = shapes.content_blocks([Text(outcome.text)])
    return ActionInvokeResult(told, outcome.data, outcome.run_id or None)
