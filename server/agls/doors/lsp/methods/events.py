"""`agent/events`: pages of a session's history (protocol 4.4 and 4.8)."""

from collections.abc import Sequence

from agls.doors import from_wire
from agls.doors.errors import cursor_expired
from agls.doors.lsp.call import Call
from agls.doors.lsp.door import Door
from agls.doors.messages import JsonObject
from agls.doors.replay import place_of
from agls_protocol.sessions import EventsParams, EventsResult
from agls_protocol.types import Cursor

MOST = 5_000  # events of one page


async def events(door: Door, params: EventsParams, call: Call) -> EventsResult:
    """One page: what stands before a cursor (the end, without one), or after it. Nothing is subscribed."""
    call.interruptible = True
    if params.before and params.after:
        raise from_wire.Malformed("params.before and params.after exclude each other")
    async with door.borrowed(params.session_id) as session:
        journal = session.log.journal
        replay = await door.replay(session)
    cursor = params.after or params.before or Cursor(journal.epoch, replay.seq + 1)
    if cursor.epoch != journal.epoch or not 0 <= cursor.seq <= replay.seq + 1:
        raise cursor_expired(journal.epoch, replay.seq)
    forward = params.after is not None
    there = [
        told
        for told in replay.events
        if (place_of(told) > cursor.seq if forward else place_of(told) < cursor.seq)
        and (params.types is None or told["type"] in params.types)
    ]
    page = _page(there, max(1, min(params.limit, MOST)), forward=forward)
    result = EventsResult([*page])
    if len(page) < len(there):
        result.next_cursor = Cursor(journal.epoch, place_of(page[-1 if forward else 0]))
    return result


def _page(there: Sequence[JsonObject], limit: int, *, forward: bool) -> Sequence[JsonObject]:
    """About `limit` of these events, from the near end; those of one fact stay together."""
    if len(there) <= limit:
        return there
    if forward:
        end = limit
        while end < len(there) and place_of(there[end]) == place_of(there[end - 1]):
            end += 1
        return there[:end]
    start = len(there) - limit
    while start and place_of(there[start - 1]) == place_of(there[start]):
        start -= 1
    return there[start:]
