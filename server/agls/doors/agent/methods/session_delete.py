"""`agent/session/delete`: a session and its data, gone for good."""

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.errors import cannot_open, session_busy
from agls.engine.ports import JournalBusy, JournalError
from agls_protocol.sessions import SessionIdParams
from agls_protocol.types import Empty


async def delete_session(connection: Connection, params: SessionIdParams, call: Call) -> Empty:
    """End what it and its helpers do, notify the client, and remove them."""
    call.ordered = True
    try:
        await connection.delete(params.session_id)
    except JournalBusy:
        raise session_busy(params.session_id) from None
    except JournalError as error:
        raise cannot_open(params.session_id, error) from None
    return Empty()
