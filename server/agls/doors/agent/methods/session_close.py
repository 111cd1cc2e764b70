"""`agent/session/close`: cancel what a session does and let go of it."""

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls_protocol.types import Empty, SessionCloseParams


async def close_session(connection: Connection, params: SessionCloseParams, call: Call) -> Empty:
    """Cancel the session's runs, wait for their ends, and give the session back; its data stays."""
    call.ordered = True
    await connection.close(params.session_id, call)
    return Empty()
