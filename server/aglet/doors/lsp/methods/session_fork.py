"""`agent/session/fork`: a new session with what was said up to an item (protocol 4.4)."""

from aglet.doors.errors import session_busy, session_not_found
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.doors.lsp.once import request_of
from aglet.engine.ports import JournalBusy, JournalError
from aglet.engine.sessions import made_for
from aglet.features.history.filing import shown_title
from aglet_protocol.sessions import SessionForkParams, SessionForkResult


async def fork_session(door: Door, params: SessionForkParams, call: Call) -> SessionForkResult:
    """Make the fork; the same `clientKey` gives the same one. The client resumes it to get its events."""
    request = request_of("agent/session/fork", params)
    try:
        session = await door.world.sessions.fork(
            params.session_id, params.at_item_id, shown_title(params.title), request
        )
    except JournalBusy:
        raise session_busy(made_for(request)) from None
    except JournalError as error:
        raise session_not_found(params.session_id, error) from None
    return SessionForkResult(session.session_id, session.log.journal.epoch, session.state.seq)
