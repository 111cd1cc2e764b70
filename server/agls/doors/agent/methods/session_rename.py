"""`agent/session/rename`: another title."""

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.engine.facts import SessionChanged
from agls.titles import title_from
from agls_protocol.sessions import SessionRenameParams
from agls_protocol.types import Empty


async def rename_session(connection: Connection, params: SessionRenameParams, call: Call) -> Empty:
    """Give the session this title, on one line. It need not be attached."""
    try:
        title = title_from(params.title)
    except ValueError:
        raise from_wire.Malformed("params.title must not be empty") from None
    async with connection.borrowed(params.session_id) as session:
        session.log.record(SessionChanged(title=title))
        await session.log.sync()
    return Empty()
