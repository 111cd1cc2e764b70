"""What `agent/resume` carries: what a client has, and the session as it stands. Written as `items.py` is."""

from typing import Annotated, Any

from agls_protocol.events import (
    ContextUsageData,
    HistoryRewoundData,
    RunEndedData,
    SessionInfoData,
    Waiting,
)
from agls_protocol.items import Item, JsonObject
from agls_protocol.record import record
from agls_protocol.types import PAGE_BYTES, Cursor, Question


@record
class ResumeParams:
    """`replay` is none, tail (the last `tail` items), all (as many as fit), or since (all behind `after`).

    The result has `maxBytes` at most. The items of a snapshot are the last ones, or those in front of the
    item `before`.
    """

    session_id: str
    after: Cursor | None = None
    replay: str = "tail"
    tail: int = 200
    take_control: bool = False
    before: str = ""
    max_bytes: int = PAGE_BYTES


@record
class SnapshotRun:
    """A run of which a snapshot has items: these, in their order; and what `runEnded` said (`ended`).

    The one without `ended` goes on: it is there with or without items.
    """

    run_id: str
    item_ids: list[str]
    ended: Annotated[Any, RunEndedData] = None


@record
class Snapshot:
    """The session as it stands at `seq`; with `olderCursor` there are older items.

    `items` are those that are complete; the runs are those they and the open ones belong to. `info` is what
    `sessionInfo` said, `usage` what `contextUsage` said last, `queue` what waits. `rewound` is what
    `historyRewound` said last, if no run began since and it was not taken back.
    """

    seq: int
    items: list[Annotated[Any, Item]]
    runs: list[SnapshotRun]
    state: str
    info: Annotated[Any, SessionInfoData]
    options: JsonObject
    open_requests: list[Annotated[Any, Question]]
    queue: list[Annotated[Any, Waiting]]
    usage: Annotated[Any, ContextUsageData] = None
    rewound: Annotated[Any, HistoryRewoundData] = None
    older_cursor: JsonObject | None = None


@record
class ResumeResult:
    """What was missed: `replayed` is nothing, events or snapshot. Live events follow it on the wire.

    `readOnly` is true while another process writes the session.
    """

    session_id: str
    epoch: str
    seq: int
    state: str
    replayed: str
    open_items: list[Annotated[Any, Item]]
    open_requests: list[Annotated[Any, Question]]
    events: list[JsonObject] | None = None
    snapshot: Snapshot | None = None
    read_only: bool | None = None
