"""`agent/queue`: see and rearrange the prompts that wait (protocol 4.4)."""

from aglet.config import Setup
from aglet.doors import from_wire
from aglet.doors.attaching import taken_in
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.doors.lsp.once import request_of
from aglet.doors.waiting import prompt
from aglet.engine import queueing
from aglet.engine.session import Session
from aglet_protocol.sessions import QueueParams, QueueResult


async def queue(door: Door, params: QueueParams, call: Call) -> QueueResult:
    """Do it, and give the queue as it is then; the same `clientKey` does it once, whoever asks again."""
    session = (await door.open(params.session_id, call)).session
    await _change(session, params, door.world.setup)
    await session.log.sync()
    return QueueResult([{"runId": admitted.run_id, **prompt(admitted)} for admitted in session.state.queue])


async def _change(session: Session, params: QueueParams, setup: Setup) -> None:
    request = request_of("agent/queue", params)
    facts = queueing.REPLACED if params.op == "replace" else queueing.CHANGED
    if params.op == "list" or queueing.followed(session, request, facts):
        return
    match params.op:
        case "remove":
            queueing.remove(session, params.item_id, request)
        case "move":
            queueing.move(session, params.item_id, params.to, request)
        case "replace":
            said = from_wire.content_or_files(params.input)
            if not said:
                raise from_wire.Malformed("params.input must not be empty")
            content = await taken_in(said, setup, session.state.cwd)
            await queueing.replace(session, params.item_id, content, request)
