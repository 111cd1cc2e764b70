"""`agent/steer`: put a message into the running conversation."""

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import cancel_if_withdrawn
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import check_prompt
from agls.doors.agent.methods.run import check_queue
from agls.doors.agent.typed_command import ACTION, do_typed_command
from agls.doors.attachments import taken_in
from agls.doors.typed_text import understood
from agls.engine.admission import Refused
from agls.engine.session import Session
from agls_protocol.types import SteerParams, SteerResult

CHOICES = ("run", "queue", "return")
BEGUN = ("queued", "started")


async def steer(connection: Connection, params: SteerParams, call: Call) -> SteerResult:
    """Put a message in; it is durable when this answers. `ifEnded` says what becomes of it when no run is on.

    A typed command is done instead.
    """
    if params.if_ended not in CHOICES:
        raise from_wire.Malformed(f"params.ifEnded must be one of {', '.join(CHOICES)}")
    said = from_wire.content_or_files(params.input)
    if not said:
        raise from_wire.Malformed("params.input must not be empty")
    if command := await do_typed_command(connection, "agent/steer", params, call):
        return SteerResult(ACTION, command.run_id or None, action=command.action)
    async with connection.admission(params.session_id, call):
        attached = await connection.open(params.session_id, call)
        session = attached.session
        world = connection.world
        content = await taken_in(said, world.setup, session.state.cwd, world.storage.blobs)
        if params.expand:
            content = await understood(world, session, content, params.client_key)
        check(session, params)
        call.until_answered.enter_context(attached.publisher.held())
        way = "" if params.if_ended == "return" else params.if_ended
        check_prompt(session, params.client_key, "agent/steer", way, params.expected_run_id)
        stop = call.stop if call.cancelled else None
        done = await session.steer(content, params.expected_run_id, params.if_ended, params.client_key, stop)
    if done.outcome in BEGUN:
        cancel_if_withdrawn(call, session, done.run_id)
    return SteerResult(done.outcome, done.run_id or None, done.item_id or None)


def check(session: Session, params: SteerParams) -> None:
    """Refuse what the session, as it stands, cannot take. **Raises** `Refused` and `Bad`."""
    state = session.state
    if params.expected_run_id in {admitted.run_id for admitted in state.queue}:
        message = "That run waits for its turn and takes no messages yet. Change its prompt with agent/queue."
        raise Refused(message, "notSteerable", params.expected_run_id)
    if not (state.running or params.if_ended == "return" or params.client_key in state.keys):
        check_queue(session)
