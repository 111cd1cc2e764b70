"""`agent/resume`: attach to a session; what was missed comes in the result."""

import asyncio

from agls.doors import from_wire
from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.limits import REPLAYED_EVENTS
from agls.doors.agent.result_pages import Page, all_or_none
from agls.doors.agent.snapshots import ReadAhead, SnapshotRequest, read_ahead, snapshot
from agls.doors.messages import JsonObject
from agls.views.session_history import SessionHistory
from agls_protocol.resuming import ResumeParams, ResumeResult
from agls_protocol.types import Cursor

REPLAYS = ("none", "tail", "all", "since")


async def resume(connection: Connection, params: ResumeParams, call: Call) -> ResumeResult:
    """Attach, and give what the client asks for; its live events follow the answer."""
    if params.replay not in REPLAYS:
        raise from_wire.Malformed(f"params.replay must be one of {', '.join(REPLAYS)}")
    attached = await connection.watch(params.session_id, call, control=params.take_control)
    history = await connection.history(attached.session) if params.replay != "none" else None
    missed = _missed(history, params, connection.page(params.max_bytes // 2)) if history else None
    wanted = SnapshotRequest(None if params.replay == "all" else max(0, params.tail), params.before)
    ahead = None
    if history:

        def read() -> ReadAhead | None:  # what was read once is there at once when the answer is made
            if missed is None or missed.read(history.seq) is None:
                return read_ahead(history, connection.page(params.max_bytes), wanted)
            return None

        ahead = await asyncio.to_thread(read)
    await attached.publisher.drained()
    connection.join(attached, call)  # from here to the answer nothing else happens
    call.ordered = True
    if not attached.read_only:
        call.until_answered.callback(attached.asking.put_again)
    page = connection.page(params.max_bytes)
    result = _result(attached, page, call)
    if missed and (events := missed.read(result.seq)) is not None:
        result.replayed, result.events = "events", events
    elif history:
        history.catch_up()
        result.snapshot = snapshot(result, attached.session, history, page, wanted, ahead)
        result.replayed = "snapshot"
    return result


def _result(attached: Attached, page: Page, call: Call) -> ResumeResult:
    """Return how the session stands. Open items too long for the page are sent again behind the answer."""
    opened = attached.publisher.open_items()
    asked = attached.publisher.open_requests()
    open_items = [page.must_have(item, len(opened)) for item in opened]
    cut = [fit["itemId"] for item, fit in zip(opened, open_items, strict=True) if fit is not item]
    if cut:
        call.until_answered.callback(attached.publisher.make_up, cut)
    return ResumeResult(
        session_id=attached.session.session_id,
        epoch=attached.session.log.journal.epoch,
        seq=attached.session.outline.seq,
        state=attached.publisher.status,
        replayed="nothing",
        open_items=open_items,
        open_requests=[page.must_have(question, len(asked)) for question in asked],
        read_only=attached.read_only or None,
    )


class Missed:
    """The events behind a fact, as long as they are not too many for a result."""

    def __init__(self, history: SessionHistory, seq: int, page: Page) -> None:
        self._history = history
        self._seq = seq
        self._page = page
        self._events: list[JsonObject] | None = []

    def read(self, until: int) -> list[JsonObject] | None:
        """Those up to this fact; `None` when they are too many, or too large."""
        if self._events is not None:
            facts = self._history.facts(self._seq, until + 1)
            more = all_or_none(facts, self._page, REPLAYED_EVENTS - len(self._events))
            self._events = None if more is None else self._events + more
            self._seq = until
        return self._events


def _missed(history: SessionHistory, params: ResumeParams, page: Page) -> Missed | None:
    """Return what is behind the cursor of a client; `None` when it has none of this journal."""
    after = params.after or Cursor("", 0)
    known = after.epoch == history.epoch and 0 <= after.seq <= history.seq
    return Missed(history, after.seq, page) if params.replay == "since" and known else None
