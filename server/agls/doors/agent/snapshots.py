"""What `agent/resume` tells of a session: the last of its items that fit, and the runs they belong to."""

from collections.abc import Iterable, Iterator
from itertools import dropwhile, islice
from typing import NamedTuple

from agls.doors.agent.result_pages import Page
from agls.doors.errors import bad
from agls.doors.messages import JsonObject
from agls.engine.session import Session
from agls.views.transcript import Transcript
from agls_protocol.resuming import ResumeResult, Snapshot, SnapshotRun

PORTION = 64  # items whose size is looked at together


class SnapshotRequest(NamedTuple):
    """The last `tail` items (`None` for as many as fit) in front of the item `before` ("" for the end)."""

    tail: int | None
    before: str = ""


def snapshot(
    result: ResumeResult, session: Session, known: Transcript, page: Page, wanted: SnapshotRequest
) -> Snapshot:
    """The session as it stands. `result` has its open items already. Raises `Bad` (`noSuchItem`)."""
    queue = page.must_have({"queue": known.queue})["queue"]
    items, ended, more = _last(result, known, page, wanted)
    running = session.state.run_id if session.state.running else ""
    made = Snapshot(
        seq=result.seq,
        items=items,
        runs=_runs(known, ended, items, result.open_items, running),
        state=result.state,
        info=known.info,
        options=known.options,
        open_requests=result.open_requests,
        queue=queue,
        usage=known.usage or None,
    )
    if more:
        first = known.began[items[0]["itemId"]] if items else result.seq + 1
        made.older_cursor = {"epoch": result.epoch, "seq": first}
    return made


def _last(
    result: ResumeResult, known: Transcript, page: Page, wanted: SnapshotRequest
) -> tuple[list[JsonObject], dict[str, JsonObject], bool]:
    """The items, in their order; what was said at the end of their runs; whether there are more."""
    still_open = {item["itemId"] for item in result.open_items}
    closed = (item for item in _backward(known, wanted.before) if item["itemId"] not in still_open)
    pairs = _with_ends(known, closed)
    kept: list[JsonObject] = []
    ended: dict[str, JsonObject] = {}
    while True:
        room = PORTION if wanted.tail is None else min(PORTION, wanted.tail - len(kept))
        portion = list(islice(pairs, room))
        if not portion:
            return kept[::-1], ended, next(pairs, None) is not None
        whole = page.takes_whole([value for _, values in portion for value in values])
        for run_id, values in portion:
            fits = values if whole else page.takes(values, first=not kept)
            if fits is None:
                return kept[::-1], ended, True
            kept.append(fits[0])
            ended |= dict.fromkeys([run_id][: len(fits) - 1], fits[-1])


def _with_ends(known: Transcript, items: Iterable[JsonObject]) -> Iterator[tuple[str, list[JsonObject]]]:
    """Yield the run of each item and the item, with the first of a run what was said at the run's end."""
    told: set[str] = set()
    for item in items:
        run_id = known.run_of.get(item["itemId"], "")
        ends = [known.runs[run_id]] if run_id in known.runs and run_id not in told else []
        told.add(run_id)
        yield run_id, [item, *ends]


def _backward(known: Transcript, before: str) -> Iterator[JsonObject]:
    """The items in front of one ("" for the end), the last first. Raises `Bad` (`noSuchItem`)."""
    items = reversed(known.items.values())
    if not before:
        return items
    if before not in known.items:
        raise bad("noSuchItem", f"params.before: there is no item {before[:100]!r} in this session")
    behind = dropwhile(lambda item: item["itemId"] != before, items)
    next(behind)
    return behind


def _runs(
    known: Transcript,
    ended: dict[str, JsonObject],
    items: Iterable[JsonObject],
    open_items: Iterable[JsonObject],
    running: str,
) -> list[SnapshotRun]:
    """The runs that these items belong to, in the order in which they began, and the one that is on."""
    beside = [item for item in open_items if "background" in item]  # the run that began them may be over
    pairs = [(known.run_of.get(item["itemId"], ""), item["itemId"]) for item in (*beside, *items)]
    pairs += [(running, item["itemId"]) for item in open_items if item not in beside]
    told = {run_id: ended.get(run_id, known.runs.get(run_id)) for run_id, _ in pairs}
    runs = {run_id: SnapshotRun(run_id, [], end) for run_id, end in told.items() if run_id}
    if running:
        runs.setdefault(running, SnapshotRun(running, []))
    for run_id, item_id in pairs:
        if run_id:
            runs[run_id].item_ids.append(item_id)
    return list(runs.values())
