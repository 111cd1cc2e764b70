"""`agent/session/fork`: a new session with what was said up to an item."""

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import request_of
from agls.doors.errors import cannot_open, session_busy
from agls.engine.ports import JournalBusy, JournalError
from agls.engine.sessions import made_for
from agls.titles import shown_title
from agls_protocol.sessions import SessionForkParams, SessionForkResult


async def fork_session(connection: Connection, params: SessionForkParams, call: Call) -> SessionForkResult:
    """Make the fork; the same `clientKey` gives the same one. The client resumes it to get its events."""
    request = request_of("agent/session/fork", params)
    try:
        session = await connection.world.sessions.fork(
            params.session_id, params.at_item_id, shown_title(params.title), request
        )
    except JournalBusy:
        raise session_busy(made_for(request)) from None
    except JournalError as error:
        raise cannot_open(params.session_id, error) from None
    return SessionForkResult(session.session_id, session.log.journal.epoch, session.state.seq)
