"""`agent/steer`: put a message into the running conversation."""

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import cancel_if_withdrawn
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import check_prompt
from agls.doors.agent.methods.run import check_queue, run
from agls.doors.agent.typed_command import ACTION, CompletedCommand, do_typed_command
from agls.doors.attachments import taken_in
from agls.doors.typed_text import admitted_content, run_of_command
from agls.engine.admission import Refused
from agls.engine.session import Session
from agls_protocol.types import RunParams, SteerParams, SteerResult

CHOICES = ("run", "queue", "return")
BEGUN = ("queued", "started")
OWN_RUN = "This command begins a run of its own. Send it with agent/run: it waits there for its turn."


async def steer(connection: Connection, params: SteerParams, call: Call) -> SteerResult:
    """Put a message in; it is durable when this answers. `ifEnded` says what becomes of it when no run is on.

    A typed command is done instead. One that makes a prompt has a run of its own, which waits for its turn.
    """
    if params.if_ended not in CHOICES:
        raise from_wire.Malformed(f"params.ifEnded must be one of {', '.join(CHOICES)}")
    said = from_wire.content_or_files(params.input)
    if not said:
        raise from_wire.Malformed("params.input must not be empty")
    command = await do_typed_command(connection, "agent/steer", params, call)
    if isinstance(command, CompletedCommand):
        return SteerResult(ACTION, command.run_id or None, action=command.action)
    if command or await _was_command(connection, params, call):
        return await _begin(connection, params, call)
    async with connection.admission(params.session_id, call):
        attached = await connection.open(params.session_id, call)
        session = attached.session
        world = connection.world
        content = await taken_in(said, world.setup, session.state.cwd, world.storage.blobs)
        content = await admitted_content(world, session, content, params.client_key, expand=params.expand)
        check(session, params)
        call.until_answered.enter_context(attached.publisher.held())
        way = "" if params.if_ended == "return" else params.if_ended
        check_prompt(session, params.client_key, "agent/steer", way, params.expected_run_id)
        stop = call.stop if call.cancelled else None
        done = await session.steer(content, params.expected_run_id, params.if_ended, params.client_key, stop)
    if done.outcome in BEGUN:
        cancel_if_withdrawn(call, session, done.run_id)
    return SteerResult(done.outcome, done.run_id or None, done.item_id or None)


async def _was_command(connection: Connection, params: SteerParams, call: Call) -> bool:
    """Return whether this was a command that made a prompt, the first time it was sent."""
    if not (params.expand and params.client_key):
        return False
    attached = await connection.open(params.session_id, call)
    return run_of_command(attached.session, params.client_key) is not None


async def _begin(connection: Connection, params: SteerParams, call: Call) -> SteerResult:
    """Let a command begin a run. **Raises** `Refused` where what comes too late is returned."""
    if params.if_ended == "return":
        raise Refused(OWN_RUN, "notSteerable")
    given = RunParams(
        params.session_id,
        params.input,
        expected_run_id=params.expected_run_id,
        client_key=params.client_key,
        expand=True,
    )
    done = await run(connection, given, call)
    return SteerResult(done.outcome, done.run_id or None, done.item_id, action=done.action)


def check(session: Session, params: SteerParams) -> None:
    """Refuse what the session, as it stands, cannot take. **Raises** `Refused` and `Bad`."""
    state = session.state
    if params.expected_run_id in {admitted.run_id for admitted in state.queue}:
        message = "That run waits for its turn and takes no messages yet. Change its prompt with agent/queue."
        raise Refused(message, "notSteerable", params.expected_run_id)
    if not (state.running or params.if_ended == "return" or params.client_key in state.keys):
        check_queue(session)
