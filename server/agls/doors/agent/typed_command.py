"""A command that somebody typed into a prompt is done instead of it (protocol#typed-text)."""

from dataclasses import replace
from typing import NamedTuple

from agls.commands import CommandError, input_of
from agls.doors import from_wire
from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import request_of
from agls.doors.agent.invocation import follow_action, invoke, result_of
from agls.doors.typed_text import command_of, screen_action
from agls.engine.actions import ActionPrompt
from agls.engine.admission import Refused
from agls.engine.vocabulary import JsonObject
from agls_protocol.converter import make_converter
from agls_protocol.types import CommandResult, RunAnswer, RunParams, SteerParams

ACTION = "action"  # the outcome
_converter = make_converter()


class PromptingCommand(NamedTuple):
    """A command that makes a prompt, not done yet: its action in this session, and the input of that."""

    attached: Attached
    name: str
    given: JsonObject

    async def prompt(self, call: Call) -> ActionPrompt | RunAnswer:
        """Do it. **Returns** the prompt, or the answer where there is nothing to ask a model.

        **Raises** `Refused`, `ActionError` and `Bad`, as `invoke` does.
        """
        outcome = await invoke(self.attached, self.name, self.given, call)
        if outcome.prompt:
            return outcome.prompt
        done = await result_of(outcome)
        result = CommandResult(self.name, self.given, done.output, done.data)
        return RunAnswer(done.run_id or "", ACTION, action=_converter.unstructure(result))


class CompletedCommand(NamedTuple):
    """A command that was done: in which session, the run that it began ("": none), and what came of it."""

    attached: Attached
    run_id: str
    action: JsonObject


async def do_typed_command(
    connection: Connection, method: str, params: RunParams | SteerParams, call: Call
) -> CompletedCommand | PromptingCommand | None:
    """Do the command that the text of a request is; once for the same `clientKey`, as `agent/action/invoke`.

    **Returns** `None` for a prompt. What makes a prompt of its own is returned as it is: the prompt is made
    while its run is admitted. **Raises** `Malformed` for words that make no sense.
    """
    if not params.expand or params.input is None:
        return None
    said = from_wire.content_or_files(params.input)
    attached = await connection.open(params.session_id, call)
    if params.client_key in attached.session.state.keys:
        return None  # it was a prompt the first time
    try:
        command = command_of(connection.world, attached.session, said)
        if command is None:
            return None
        given = input_of(command)
    except CommandError as problem:
        raise from_wire.Malformed(str(problem)) from None
    name = command.spec.name
    if command.spec.prompts:
        return PromptingCommand(attached, name, given)

    async def work() -> RunAnswer:
        expected, last = params.expected_run_id, attached.session.state.run_id
        if expected and expected != last:
            raise Refused("Another run is the last one.", "runMismatch", last)
        await screen_action(connection.world, attached.session, name, given)
        done = await follow_action(attached, name, given, call)
        result = CommandResult(name, given, done.output, done.data)
        return RunAnswer(done.run_id or "", ACTION, action=result)

    call.until_answered.enter_context(attached.publisher.held())
    answer = await connection.idempotency.follow(attached.session, request_of(method, _asked(params)), work)
    return CompletedCommand(attached, answer["runId"], answer["action"])


def _asked(params: RunParams | SteerParams) -> RunParams | SteerParams:
    """**Returns** the params without those that may differ when the request is repeated."""
    return replace(params, wait=False, work_done_token=None) if isinstance(params, RunParams) else params
