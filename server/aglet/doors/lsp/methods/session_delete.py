"""`agent/session/delete`: a session and its data, gone for good."""

from aglet.doors.errors import session_busy, session_not_found
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.engine.ports import JournalBusy, JournalError
from aglet_protocol.sessions import SessionIdParams
from aglet_protocol.types import Empty


async def delete_session(door: Door, params: SessionIdParams, call: Call) -> Empty:
    """End what it and its helpers do, tell the client, and remove them."""
    call.ordered = True
    try:
        for session_id in (*await door.world.sessions.helpers(params.session_id), params.session_id):
            if session_id in door.attached:
                await door.close(session_id, call)
        await door.world.sessions.delete(params.session_id)
    except JournalBusy:
        raise session_busy(params.session_id) from None
    except JournalError as error:
        raise session_not_found(params.session_id, error) from None
    return Empty()
