"""`agent/resume`: attach to a session; what was missed comes in the result (protocol 4.8 and part 6)."""

from collections.abc import Iterable

from agls.doors import from_wire
from agls.doors.fold import Transcript
from agls.doors.lsp.call import Call
from agls.doors.lsp.door import Attached, Door
from agls.doors.lsp.limits import REPLAYED_EVENTS
from agls.doors.messages import JsonObject
from agls.doors.replay import Replay
from agls_protocol.resuming import ResumeParams, ResumeResult, Snapshot, SnapshotRun
from agls_protocol.types import Cursor

REPLAYS = ("none", "tail", "all", "since")


async def resume(door: Door, params: ResumeParams, call: Call) -> ResumeResult:
    """Attach, and give what the client asks for; its live events follow the answer."""
    if params.replay not in REPLAYS:
        raise from_wire.Malformed(f"params.replay must be one of {', '.join(REPLAYS)}")
    attached = await door.watch(params.session_id, call, control=params.take_control)
    journal = attached.session.log.journal
    wanted, brief = params.replay != "none", params.replay != "since"
    replay = await door.replay(attached.session, brief=brief) if wanted else Replay(params.session_id, "")
    await attached.publisher.told()
    if wanted:
        replay.take(journal.entries(replay.seq))  # from here to the answer nothing else happens
    door.join(attached, call)
    call.ordered = True
    if not attached.read_only:
        call.until_answered.callback(attached.asking.put_again)
    return _result(attached, replay, params)


def _result(attached: Attached, replay: Replay, params: ResumeParams) -> ResumeResult:
    session = attached.session
    result = ResumeResult(
        session_id=session.session_id,
        epoch=session.log.journal.epoch,
        seq=session.state.seq,
        state=attached.publisher.status,
        replayed="nothing",
        open_items=attached.publisher.open_items(),
        open_requests=attached.publisher.open_requests(),
        read_only=attached.read_only or None,
    )
    if params.replay == "since" and (missed := _missed(replay, params.after, result)) is not None:
        result.replayed, result.events = "events", missed
    elif params.replay != "none":
        result.replayed = "snapshot"
        running = session.state.run_id if session.state.running else ""
        result.snapshot = _snapshot(
            result, replay, None if params.replay == "all" else params.tail, running=running
        )
    return result


def _missed(replay: Replay, after: Cursor | None, result: ResumeResult) -> list[JsonObject] | None:
    """The events behind a cursor; `None` when it is none of this journal's, or too far back."""
    if after is None or after.epoch != result.epoch or not 0 <= after.seq <= result.seq:
        return None
    missed = replay.behind(after.seq)
    return missed if len(missed) <= REPLAYED_EVENTS else None


def _snapshot(result: ResumeResult, replay: Replay, tail: int | None, *, running: str) -> Snapshot:
    folded = replay.transcript
    still_open = {item["itemId"] for item in result.open_items}
    items = [item for item in folded.items.values() if item["itemId"] not in still_open]
    kept = items if tail is None else items[max(0, len(items) - max(0, tail)) :]
    snapshot = Snapshot(
        seq=result.seq,
        items=kept,
        runs=_runs(folded, kept, result.open_items, running),
        state=result.state,
        info=folded.info,
        options=folded.options,
        open_requests=result.open_requests,
        queue=folded.queue,
        usage=folded.usage or None,
    )
    if len(kept) < len(items):
        first = folded.began[kept[0]["itemId"]] if kept else result.seq + 1
        snapshot.older_cursor = {"epoch": result.epoch, "seq": first}
    return snapshot


def _runs(
    folded: Transcript, items: Iterable[JsonObject], open_items: Iterable[JsonObject], running: str
) -> list[SnapshotRun]:
    """The runs that these items belong to, in the order in which they began, and the one that is on."""
    beside = [item for item in open_items if "background" in item]  # the run that began them may be over
    pairs = [(folded.run_of.get(item["itemId"], ""), item["itemId"]) for item in (*beside, *items)]
    pairs += [(running, item["itemId"]) for item in open_items if item not in beside]
    runs = {run_id: SnapshotRun(run_id, [], folded.runs.get(run_id)) for run_id, _ in pairs if run_id}
    if running:
        runs.setdefault(running, SnapshotRun(running, []))
    for run_id, item_id in pairs:
        if run_id:
            runs[run_id].item_ids.append(item_id)
    return list(runs.values())
