"""`agent/session/rewind`: the conversation, the files, or both go back to an item."""

from agls.assembly.rewind import WHAT, Back, go_back
from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import request_of
from agls.doors.errors import unsupported
from agls.doors.messages import JsonObject
from agls.engine.admission import ANYBODY, Refused
from agls.engine.session import Session
from agls_protocol.items import FileChanged
from agls_protocol.sessions import Conflict, SessionRewindParams, SessionRewindResult


async def rewind_session(connection: Connection, params: SessionRewindParams, call: Call) -> JsonObject:
    """Go back, or say what would; the same `clientKey` goes back once, whoever asks."""
    if params.what not in WHAT:
        raise from_wire.Malformed(f"params.what must be one of {', '.join(WHAT)}")
    if (params.to_item_id is None) is not bool(params.undo):
        raise from_wire.Malformed('say where to: params.toItemId ("" for the beginning), or params.undo')
    session = (await connection.open(params.session_id, call)).session
    request = ANYBODY if params.dry_run else request_of("agent/session/rewind", params)
    return await connection.idempotency.follow(session, request, lambda: _rewind(session, params))


async def _rewind(session: Session, params: SessionRewindParams) -> SessionRewindResult:
    back = Back(params.to_item_id or "", params.undo or "", params.what, bool(params.dry_run))
    try:
        gone = await go_back(session, back)
    except Refused as problem:
        if problem.kind == "unsupported":
            raise unsupported(str(problem), "checkpoints") from None
        raise
    result = SessionRewindResult(
        files=[FileChanged(**row) for row in gone.restored.get("files", [])],
        conflicts=[Conflict(**row) for row in gone.restored.get("conflicts", [])],
        dropped_item_ids=list(gone.dropped),
        last_item_id=gone.fact.item_id,
    )
    if not params.dry_run:
        result.checkpoint_id = gone.fact.checkpoint_id
    return result
