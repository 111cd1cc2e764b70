"""`agent/session/list`: the sessions there are, newest first."""

from agls.doors import from_wire
from agls.doors.errors import bad
from agls.doors.lsp.call import Call
from agls.doors.lsp.door import Door
from agls.engine.ports import JournalError
from agls.views import wire_json
from agls_protocol.types import SessionListParams, SessionListResult, SessionRow

MOST = 500  # rows of one page


async def list_sessions(door: Door, params: SessionListParams, call: Call) -> SessionListResult:
    """One page of sessions."""
    call.interruptible = True
    cwd = from_wire.path(params.cwd, "params.cwd") if params.cwd else ""
    limit = max(1, min(params.limit, MOST))
    try:
        rows, cursor = await door.world.sessions.list(
            cwd=cwd, search=params.search, cursor=params.cursor, limit=limit
        )
    except JournalError as error:
        if not params.cursor:
            raise
        raise bad("cursorExpired", str(error), hint="List again without a cursor.") from None
    told = [
        SessionRow(
            session_id=row.session_id,
            title=row.title,
            cwd=wire_json.file_uri(row.cwd),
            created_at=wire_json.timestamp(row.created_at),
            updated_at=wire_json.timestamp(row.updated_at),
            state="requiresAction" if row.state == "waiting" else row.state,
            parent_session_id=row.parent or None,
            tags=list(row.tags) or None,
            archived=row.archived or None,
            interrupted=row.interrupted or None,
            parent_item_id=row.parent_item or None,
        )
        for row in rows
    ]
    return SessionListResult(told, cursor or None)
