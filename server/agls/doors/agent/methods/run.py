"""`agent/run`: admit a prompt, and with `wait` give its end as well."""

import asyncio

from agls.doors import from_wire
from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import cancel_if_withdrawn
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import check_prompt
from agls.doors.agent.limits import MAX_QUEUED
from agls.doors.agent.typed_command import ACTION, CompletedCommand, do_typed_command
from agls.doors.attachments import taken_in
from agls.doors.errors import overloaded
from agls.doors.options import by_user, read_options
from agls.doors.typed_text import NO_PROMPT_OF_ACTION, admitted_content, options_of_command
from agls.engine.actions import ActionPrompt
from agls.engine.admission import Admission, Prompter, Refused
from agls.engine.log import GATHERING
from agls.engine.session import Session
from agls.engine.state import inherited_options
from agls.engine.vocabulary import StopReason
from agls_protocol.types import RunAnswer, RunParams

POLICIES = ("ifIdle", "queue", "steer", "interrupt")


async def run(connection: Connection, params: RunParams, call: Call) -> RunAnswer:
    """Admit the prompt. Its events follow the answer; with `wait` the answer follows `runEnded`.

    A typed command is done instead; a run that it begins is waited for in the same way.
    """
    command = None
    if not params.continue_run:
        command = await do_typed_command(connection, "agent/run", params, call)
    if isinstance(command, CompletedCommand):
        answer = RunAnswer(command.run_id, ACTION, action=command.action)
        return await _end(command.attached, answer, call) if params.wait and command.run_id else answer
    async with connection.admission(params.session_id, call):
        prompt = await command.prompt(call) if command else NO_PROMPT_OF_ACTION
        if isinstance(prompt, RunAnswer):
            return prompt
        attached, admission = await _admit(connection, params, call, prompt)
    if params.admission == "interrupt":
        attached.cancel_target.begin(admission.run_id)
    cancel_if_withdrawn(call, attached.session, admission.run_id)
    if params.work_done_token is not None:
        attached.presenter.give_token(admission.run_id, params.work_done_token)
    if not params.wait:
        return admitted(admission)
    return await _end(attached, admitted(admission), call)


async def _admit(
    connection: Connection, params: RunParams, call: Call, command: ActionPrompt
) -> tuple[Attached, Admission]:
    if params.admission not in POLICIES:
        raise from_wire.Malformed(f"params.admission must be one of {', '.join(POLICIES)}")
    said = from_wire.content_or_files(params.input) if params.input is not None else ()
    if not (said or params.continue_run):
        raise from_wire.Malformed("params.input must not be empty, unless continueRun is true")
    check_token(params.work_done_token)
    options, chosen = read_options(params.options), by_user(params.chosen_by)
    attached = await connection.open(params.session_id, call)
    session = attached.session
    connection.world.check_mode(session.state.cwd, options, by_user=chosen)
    options = options_of_command(session, options, command, params.client_key)
    recovers = session.state.run_id if params.continue_run else ""
    if params.client_key not in session.state.keys:  # else it was admitted already
        check_admission(session, params)
        kept = inherited_options(session.state, options, recovers)
        await connection.world.check(session.state.cwd, {**session.state.options, **kept})
    content = await taken_in(said, connection.world.setup, session.state.cwd, connection.world.storage.blobs)
    world, key = connection.world, params.client_key
    content = await admitted_content(world, session, content, key, command, expand=params.expand)
    if params.client_key not in session.state.keys:  # others were admitted meanwhile
        check_admission(session, params)
    call.until_answered.enter_context(attached.publisher.held())
    way = "" if params.admission == "queue" else params.admission
    check_prompt(session, params.client_key, "agent/run", way, params.expected_run_id)
    connection.world.choose(session.session_id, options)
    admission = await session.prompt(
        content,
        "queue" if command.content and params.admission == "steer" else params.admission,
        options=options,
        key=params.client_key,
        recovers=recovers,
        prompter=Prompter(call.stop if call.cancelled else None, waits=bool(params.wait)),
    )
    return attached, admission


def check_token(token: object) -> None:
    """Refuse what is no token of LSP. **Raises** `Malformed`."""
    if token is not None and (isinstance(token, bool) or not isinstance(token, str | int)):
        raise from_wire.Malformed("params.workDoneToken must be a string or a whole number")


def check_admission(session: Session, params: RunParams) -> None:
    """Refuse what the session, as it stands, cannot admit. **Raises** `Refused` and `Bad`."""
    state = session.state
    if params.expected_run_id and params.expected_run_id != state.run_id:
        raise Refused("Another run is the last one.", "runMismatch", state.run_id)
    if params.continue_run and state.running:
        raise Refused("The run to continue is still running.", "runActive", state.run_id)
    if params.continue_run and (not state.stop or state.stop.reason is StopReason.END_TURN):
        raise Refused("There is no run to continue: the last one is complete.", "noActiveRun")
    if not (state.running and params.admission == "steer"):
        check_queue(session)


def check_queue(session: Session) -> None:
    """Refuse another run when as many wait as may. **Raises** `Bad`."""
    waiting = len(session.state.queue)
    if waiting >= MAX_QUEUED:
        message = f"{waiting} runs wait in this session already."
        raise overloaded(message, sessionId=session.session_id)


def admitted(admission: Admission) -> RunAnswer:
    """Return the answer at admission."""
    return RunAnswer(admission.run_id, admission.outcome, admission.item_id or None)


async def _end(attached: Attached, result: RunAnswer, call: Call) -> RunAnswer:
    """Return the answer at the end, with the data of `runEnded`. A cancelled request cancels the run."""
    attached.publisher.linger(GATHERING)
    call.until_answered.close()
    call.ordered = True
    call.interruptible = True
    try:
        ended = await attached.end_of(result.run_id)
    except asyncio.CancelledError:  # that cancelled the run, and its end is the answer
        ended = await attached.end_of(result.run_id)
    result.stop_reason = ended["stopReason"]
    result.files_changed = ended["filesChanged"]
    result.usage, result.cost = ended.get("usage"), ended.get("cost")
    result.error, result.output = ended.get("error"), ended.get("output")
    return result
