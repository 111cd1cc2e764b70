"""A command that somebody typed into a prompt is done instead of it (protocol#typed-text)."""

from typing import NamedTuple

import attrs

from agls.commands import CommandError, input_of
from agls.doors import from_wire
from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import request_of
from agls.doors.agent.invocation import follow_action
from agls.doors.typed_text import command_of
from agls.engine.admission import Refused
from agls.engine.vocabulary import JsonObject
from agls_protocol.types import CommandResult, RunAnswer, RunParams, SteerParams

ACTION = "action"  # the outcome


class CompletedCommand(NamedTuple):
    """A command that was done: in which session, the run that it began ("": none), and what came of it."""

    attached: Attached
    run_id: str
    action: JsonObject


async def do_typed_command(
    connection: Connection, method: str, params: RunParams | SteerParams, call: Call
) -> CompletedCommand | None:
    """Do the command that the text of a request is; once for the same `clientKey`, as `agent/action/invoke`.

    **Returns** `None` for a prompt. **Raises** `Malformed` for words that make no sense.
    """
    if not params.expand or params.input is None:
        return None
    said = from_wire.content_or_files(params.input)
    attached = await connection.open(params.session_id, call)
    if params.client_key in attached.session.state.keys:
        return None  # it was a prompt the first time
    try:
        command = command_of(attached.session, said)
        if command is None:
            return None
        given = input_of(command)
    except CommandError as problem:
        raise from_wire.Malformed(str(problem)) from None
    name = command.spec.name

    async def work() -> RunAnswer:
        expected, last = params.expected_run_id, attached.session.state.run_id
        if expected and expected != last:
            raise Refused("Another run is the last one.", "runMismatch", last)
        done = await follow_action(attached, name, given, call)
        result = CommandResult(name, given, done.output, done.data)
        return RunAnswer(done.run_id or "", ACTION, action=result)

    call.until_answered.enter_context(attached.publisher.held())
    answer = await connection.idempotency.follow(attached.session, request_of(method, _asked(params)), work)
    return CompletedCommand(attached, answer["runId"], answer["action"])


def _asked(params: RunParams | SteerParams) -> RunParams | SteerParams:
    """**Returns** the params without those that may differ when the request is repeated."""
    return attrs.evolve(params, wait=False, work_done_token=None) if isinstance(params, RunParams) else params
