"""`agent/events`: pages of a session's history."""

import asyncio

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.result_pages import events_page, in_order
from agls.doors.errors import cursor_expired
from agls.views.events import place_of
from agls_protocol.sessions import EventsParams, EventsResult
from agls_protocol.types import Cursor

MOST = 5_000  # events of one page


async def events(connection: Connection, params: EventsParams, call: Call) -> EventsResult:
    """Return one page in front of a cursor (of the end, without one), or behind it. Nothing is subscribed."""
    call.interruptible = True
    if params.before and params.after:
        raise from_wire.Malformed("params.before and params.after exclude each other")
    async with connection.borrowed(params.session_id) as session:
        history = await connection.history(session)
    epoch, seq = session.log.journal.epoch, history.seq
    cursor = params.after or params.before or Cursor(epoch, seq + 1)
    if cursor.epoch != epoch or not 0 <= cursor.seq <= seq + 1:
        raise cursor_expired(epoch, seq)
    forward = params.after is not None
    between = (cursor.seq, seq + 1) if forward else (0, cursor.seq)
    facts = history.facts(*between, backward=not forward)
    limit = max(1, min(params.limit, MOST))
    page, more = await asyncio.to_thread(
        events_page, facts, connection.page(params.max_bytes), limit, params.types
    )
    events = in_order(page if forward else reversed(page))
    result = EventsResult([*events])
    if more:
        result.next_cursor = Cursor(epoch, place_of(events[-1 if forward else 0]))
    return result
