"""`agent/cancel`: stop a run, with a receipt."""

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.cancel import cancel_runs
from agls.doors.agent.connection import Connection
from agls.engine.log import GATHERING
from agls_protocol.types import CancelParams, CancelResult


async def cancel(connection: Connection, params: CancelParams, call: Call) -> CancelResult:
    """Stop the named run, or the one the client can mean; cancelling nothing is success."""
    attached = await connection.open(params.session_id, call)
    stop = from_wire.stop_of(params.reason)
    done = cancel_runs(attached.session, attached.cancel_target, connection.admissions, params, stop)
    attached.publisher.linger(GATHERING)  # what ends with the run goes out with its end
    return done
