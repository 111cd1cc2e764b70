"""`agent/action/invoke`: do what a feature offers."""

from dataclasses import replace
from functools import partial

from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import request_of
from agls.doors.agent.invocation import invoke, result_of
from agls.doors.agent.methods.run import check_queue
from agls.doors.typed_text import admitted_content, screen_action, text_of_command
from agls.engine.actions import ActionPrompt
from agls.engine.admission import Prompter
from agls.engine.run_action import spec_of
from agls.engine.vocabulary import JsonObject, Text
from agls_protocol.sessions import ActionInvokeParams, ActionInvokeResult


async def invoke_action(connection: Connection, params: ActionInvokeParams, call: Call) -> JsonObject:
    """Do it; the same `clientKey` does it once, whoever asks. Events of a run it begins follow the answer.

    What only waits (for a summary, for an examination) can be broken off: then nothing was done.
    """
    attached = await connection.open(params.session_id, call)
    call.until_answered.enter_context(attached.publisher.held())
    request = request_of("agent/action/invoke", params)
    work = partial(_follow, connection, attached, params, call)
    return await connection.idempotency.follow(attached.session, request, work)


async def _follow(
    connection: Connection, attached: Attached, params: ActionInvokeParams, call: Call
) -> ActionInvokeResult:
    await screen_action(connection.world, attached.session, params.name, params.input)
    outcome = await invoke(attached, params.name, params.input, call)
    if outcome.prompt:
        run_id = await _begin(connection, attached, params, outcome.prompt, call)
        outcome = replace(outcome, run_id=run_id)
    return await result_of(outcome)


async def _begin(
    connection: Connection,
    attached: Attached,
    params: ActionInvokeParams,
    prompt: ActionPrompt,
    call: Call,
) -> str:
    """Begin a run with the prompt of an action. **Returns** its id."""
    session, world = attached.session, connection.world
    async with connection.admission(params.session_id, call):
        check_queue(session)
        await world.check(session.state.cwd, {**session.state.options, **prompt.options})
        typed = (Text(text_of_command(spec_of(session, params.name), params.input)),)
        content = await admitted_content(world, session, typed, command=prompt, expand=True)
        gone = Prompter(call.stop if call.cancelled else None)
        return (await session.prompt(content, options=prompt.options, prompter=gone)).run_id
