"""`agent/session/list`: the sessions there are, newest first."""

from collections.abc import Sequence
from itertools import accumulate

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.flow.sizes import json_size
from agls.doors.errors import bad
from agls.engine.ports import JournalError
from agls.engine.ports import SessionRow as Row
from agls.views import wire_json
from agls_protocol.types import SessionListParams, SessionListResult, SessionRow

MOST = 500  # rows of one page
AROUND = 32  # bytes that a row may have besides: the names are longer on the wire


async def list_sessions(connection: Connection, params: SessionListParams, call: Call) -> SessionListResult:
    """Return one page of sessions: at most `limit` rows, no more than `maxBytes` hold, but one at least."""
    call.interruptible = True
    limit = max(1, min(params.limit, MOST))
    rows, cursor = await _listed(connection, params, limit)
    fits = _fitting(rows, connection.page(params.max_bytes).left)
    if fits < len(rows):
        rows, cursor = await _listed(connection, params, fits)
    return SessionListResult(rows, cursor or None)


async def _listed(
    connection: Connection, params: SessionListParams, limit: int
) -> tuple[list[SessionRow], str]:
    cwd = from_wire.path(params.cwd, "params.cwd") if params.cwd else ""
    try:
        rows, cursor = await connection.world.sessions.list(
            cwd=cwd, search=params.search, cursor=params.cursor, limit=limit
        )
    except JournalError as error:
        if not params.cursor:
            raise
        raise bad("cursorExpired", str(error), hint="List again without a cursor.") from None
    return [_wire_row(row) for row in rows], cursor


def _fitting(rows: Sequence[SessionRow], room: int) -> int:
    """Return how many of these rows have no more than `room` bytes together; at least one."""
    sizes = (json_size(vars(row)) + AROUND for row in rows)
    return max(1, sum(total <= room for total in accumulate(sizes)))


def _wire_row(row: Row) -> SessionRow:
    return SessionRow(
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
