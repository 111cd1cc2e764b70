"""What `agent/resume` returns of a session: the last of its items that fit, and the runs they belong to."""

from collections.abc import Collection, Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from agls.doors.agent.result_pages import Page
from agls.doors.errors import bad
from agls.doors.messages import JsonObject
from agls.engine.session import Session
from agls.views import values
from agls.views.history_part import HistoryItem
from agls.views.session_history import SessionHistory
from agls_protocol.resuming import ResumeResult, Snapshot, SnapshotRun

PORTION = 64  # items whose size is looked at together


class SnapshotRequest(NamedTuple):
    """The last `tail` items (`None` for as many as fit) in front of the item `before` ("" for the end)."""

    tail: int | None
    before: str = ""


class LastItems(NamedTuple):
    """Items that were read from the end, in their order; `ends` are those of their runs that are over.

    `is_all` is whether there are no more in front of them.
    """

    items: list[HistoryItem]
    ends: dict[str, JsonObject]
    is_all: bool


class ReadAhead(NamedTuple):
    """All items up to fact `seq`, of which none is left out, with their `size` on a page."""

    seq: int
    last: LastItems
    size: int


def snapshot(
    result: ResumeResult,
    session: Session,
    history: SessionHistory,
    page: Page,
    wanted: SnapshotRequest,
    ahead: ReadAhead | None,
) -> Snapshot:
    """Return the session as it stands; `result` has its open items. **Raises** `Bad` (`noSuchItem`).

    What was read `ahead` counts if nothing came since.
    """
    queue = page.must_have({"queue": history.queue})["queue"]
    rewound = history.rewound and page.must_have(history.rewound)
    if ahead and ahead.seq == history.seq and not result.open_items and ahead.size <= page.left:
        last = ahead.last
    else:
        last = last_items(history, page, wanted, {item["itemId"] for item in result.open_items})
    state = session.outline
    made = Snapshot(
        seq=result.seq,
        items=[held.item for held in last.items],
        runs=_runs(last, history, result.open_items, state.run_id if state.running else ""),
        state=result.state,
        info={**values.session_info(state)},
        options=dict(state.options),
        open_requests=result.open_requests,
        queue=queue,
        usage=history.usage or None,
        rewound=rewound or None,
    )
    if not last.is_all:
        first = last.items[0].began if last.items else result.seq + 1
        made.older_cursor = {"epoch": result.epoch, "seq": first}
    return made


def read_ahead(history: SessionHistory, page: Page, wanted: SnapshotRequest) -> ReadAhead | None:
    """Read items as `snapshot` will. **Returns** them if they are all. **Raises** `Bad` (`noSuchItem`)."""
    seq, room = history.seq, page.left
    last = last_items(history, page, wanted)
    return ReadAhead(seq, last, room - page.left) if last.is_all else None


def last_items(
    history: SessionHistory, page: Page, wanted: SnapshotRequest, skipped: Collection[str] = ()
) -> LastItems:
    """Read items from the end, as many as are wanted and fit, without those `skipped`.

    **Raises** `Bad` (`noSuchItem`).
    """
    closed = (held for held in _backward(history, wanted.before) if held.item_id not in skipped)
    pairs = _with_ends(closed)
    kept: list[HistoryItem] = []
    ends: dict[str, JsonObject] = {}
    while True:
        room = PORTION if wanted.tail is None else min(PORTION, max(0, wanted.tail - len(kept)))
        portion = list(islice(pairs, room))
        if not portion:
            return LastItems(kept[::-1], ends, is_all=next(pairs, None) is None)
        whole = page.takes_whole([value for _, sent in portion for value in sent])
        for held, sent in portion:
            fits = sent if whole else page.takes(sent, first=not kept)
            if fits is None:
                return LastItems(kept[::-1], ends, is_all=False)
            kept.append(held if fits[0] is held.item else held._replace(item=fits[0]))
            ends |= dict.fromkeys([held.run_id][: len(fits) - 1], fits[-1])


def _with_ends(items: Iterable[HistoryItem]) -> Iterator[tuple[HistoryItem, list[JsonObject]]]:
    """Yield each item as it is held and as it is sent, with the first of a run the data of the run's end."""
    met: set[str] = set()
    for held in items:
        ends = [held.run_end] if held.run_end and held.run_id not in met else []
        met.add(held.run_id)
        yield held, [held.item, *ends]


def _backward(history: SessionHistory, before: str) -> Iterator[HistoryItem]:
    """The items in front of one ("" for the end), the last first. **Raises** `Bad` (`noSuchItem`)."""
    items = history.shown()
    if before and all(held.item_id != before for held in items):
        raise bad("noSuchItem", f"params.before: there is no item {before[:100]!r} in this session")
    return items


def _runs(
    last: LastItems, history: SessionHistory, open_items: list[JsonObject], running: str
) -> list[SnapshotRun]:
    """The runs that these items belong to, in the order in which they began, and the one that is on."""
    beside = [item["itemId"] for item in open_items if "background" in item]
    begun = _found(history, beside)  # the run that began them may be over
    ends = {held.run_id: held.run_end for held in begun.values()} | last.ends
    pairs = [(begun[item_id].run_id, item_id) for item_id in beside if item_id in begun]
    pairs += [(held.run_id, held.item_id) for held in last.items]
    pairs += [(running, item["itemId"]) for item in open_items if "background" not in item]
    runs = {run_id: SnapshotRun(run_id, [], ends.get(run_id)) for run_id, _ in pairs if run_id}
    if running:
        runs.setdefault(running, SnapshotRun(running, []))
    for run_id, item_id in pairs:
        if run_id:
            runs[run_id].item_ids.append(item_id)
    return list(runs.values())


def _found(history: SessionHistory, item_ids: Collection[str]) -> dict[str, HistoryItem]:
    """These items; reading ends with the first of them."""
    found: dict[str, HistoryItem] = {}
    if item_ids:
        for held in history.items(history.seq):
            if held.item_id in item_ids:
                found[held.item_id] = held
            if len(found) == len(item_ids):
                break
    return found
