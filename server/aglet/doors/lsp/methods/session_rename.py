"""`agent/session/rename`: another title."""

from aglet.doors import from_wire
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.engine.facts import SessionChanged
from aglet_protocol.sessions import SessionRenameParams
from aglet_protocol.types import Empty

LONGEST = 200  # characters


async def rename_session(door: Door, params: SessionRenameParams, call: Call) -> Empty:
    """Give the session this title, on one line. It need not be attached."""
    title = " ".join(params.title.split())[:LONGEST]
    if not title:
        raise from_wire.Malformed("params.title must not be empty")
    async with door.borrowed(params.session_id) as session:
        session.log.record(SessionChanged(title=title))
        await session.log.sync()
    return Empty()
