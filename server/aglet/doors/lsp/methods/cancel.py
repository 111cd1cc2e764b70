"""`agent/cancel`: stop a run, with a receipt (protocol 4.9)."""

from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet_protocol.types import CancelParams, CancelResult


async def cancel(door: Door, params: CancelParams, call: Call) -> CancelResult:
    """Stop the named or the current run; cancelling nothing is success."""
    attached = await door.open(params.session_id, call)
    drop = params.queued == "drop"
    done = attached.session.cancel(params.run_id, "drop" if drop else "keep")
    if done.state == "notRunning" and door.cancel_admissions(params.session_id, all=drop):
        return CancelResult("cancelling", list(done.kept), list(done.dropped))
    return CancelResult(done.state, list(done.kept), list(done.dropped), done.run_id or None)
