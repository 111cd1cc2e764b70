"""`agent/cancel`: stop a run, with a receipt."""

from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.door import Door
from agls.doors.task_choice import keep_or_stop
from agls.engine.log import GATHERING
from agls.engine.state import State
from agls_protocol.types import CancelParams, CancelResult


async def cancel(door: Door, params: CancelParams, call: Call) -> CancelResult:
    """Stop the named run, or the one the client can mean; cancelling nothing is success."""
    attached = await door.open(params.session_id, call)
    drop = params.queued == "drop"
    stop = from_wire.stop_of(params.reason)
    tasks = keep_or_stop(attached.session.background, params.tasks, stop)
    if not (params.run_id or drop) and (before := attached.meant.before):
        return CancelResult("alreadyEnded", _after(attached.session.state), [], before, *tasks)
    done = attached.session.cancel(params.run_id, params.queued, stop)
    attached.publisher.linger(GATHERING)  # what ends with the run is told with its end
    reached = (drop or done.state == "notRunning") and door.admissions.cancel(
        params.session_id, stop, all=drop
    )
    if done.state == "notRunning" and reached:
        return CancelResult("cancelling", list(done.kept), list(done.dropped), None, *tasks)
    return CancelResult(done.state, list(done.kept), list(done.dropped), done.run_id or None, *tasks)


def _after(state: State) -> list[str]:
    """The runs that began, or will begin, when the one before them ended."""
    running = [state.run_id] if state.running else []
    return [*running, *(admitted.run_id for admitted in state.queue)]
