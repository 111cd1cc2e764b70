"""`agent/detach`: hear nothing more of a session; its work goes on."""

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls_protocol.sessions import SessionIdParams
from agls_protocol.types import Empty


async def detach(connection: Connection, params: SessionIdParams, call: Call) -> Empty:
    """Send no more events; open questions are taken back and wait. To leave twice changes nothing."""
    call.ordered = True
    connection.detach(params.session_id, unread=False)
    return Empty()
