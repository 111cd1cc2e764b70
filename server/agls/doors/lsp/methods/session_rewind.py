"""`agent/session/rewind`: the conversation, the files, or both go back to an item (protocol 4.4)."""

from dataclasses import replace

from agls.doors import from_wire
from agls.doors.errors import unsupported
from agls.doors.lsp.call import Call
from agls.doors.lsp.door import Door
from agls.doors.lsp.once import request_of
from agls.engine.admission import ANYBODY
from agls.engine.facts import Rewound
from agls.engine.history import name_of, rewinding, undoing
from agls.engine.invoking import actions, invoke
from agls.engine.ports import new_id
from agls.engine.session import Session
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject
from agls_protocol.items import FileChanged
from agls_protocol.sessions import Conflict, SessionRewindParams, SessionRewindResult

WHAT = ("conversation", "files", "both")
RESTORE = "checkpoint.restore"


async def rewind_session(door: Door, params: SessionRewindParams, call: Call) -> JsonObject:
    """Go back, or say what would; the same `clientKey` goes back once, whoever asks."""
    if params.what not in WHAT:
        raise from_wire.Malformed(f"params.what must be one of {', '.join(WHAT)}")
    if (params.to_item_id is None) is not bool(params.undo):
        raise from_wire.Malformed('say where to: params.toItemId ("" for the beginning), or params.undo')
    session = (await door.open(params.session_id, call)).session
    request = ANYBODY if params.dry_run else request_of("agent/session/rewind", params)
    return await door.once.do(session, request, lambda: _rewind(session, params))


async def _rewind(session: Session, params: SessionRewindParams) -> SessionRewindResult:
    before = session.state.context.messages
    fact = _planned(session, params)
    restored = await _restore(session, params) if params.what != "conversation" else {}
    kept = session.state.rewinds[fact.undoes] if fact.undoes else before[: fact.keep]
    result = SessionRewindResult(
        files=[FileChanged(**told) for told in restored.get("files", [])],
        conflicts=[Conflict(**told) for told in restored.get("conflicts", [])],
        dropped_item_ids=[name_of(message) for message in before[len(kept) :]],
        last_item_id=fact.item_id,
    )
    if not params.dry_run:
        changes = tuple(map(_change, restored.get("changes", [])))
        fact = replace(fact, checkpoint_id=restored.get("checkpointId", fact.checkpoint_id), changes=changes)
        session.log.record(fact)
        await session.log.sync()
        result.checkpoint_id = fact.checkpoint_id
    return result


def _planned(session: Session, params: SessionRewindParams) -> Rewound:
    if params.what == "files":
        return Rewound(new_id("rewind"), params.to_item_id or "")
    return undoing(session, params.undo) if params.undo else rewinding(session, params.to_item_id or "")


async def _restore(session: Session, params: SessionRewindParams) -> JsonObject:
    """What the room `checkpoints` did, or would do, to the files."""
    if RESTORE not in {action.name for action in actions(session)}:
        raise unsupported("Files cannot be rewound here: checkpoints are switched off.", "checkpoints")
    asked: JsonObject = {"checkpointId": params.undo} if params.undo else {"toItemId": params.to_item_id}
    outcome = await invoke(session, RESTORE, {**asked, "dryRun": params.dry_run})
    return outcome.data or {}


def _change(told: JsonObject) -> FileChange:
    base, result = FileVersion(**told["base"]), FileVersion(**told["result"])
    members: JsonObject = {**told, "base": base, "result": result}
    return FileChange(**members)
