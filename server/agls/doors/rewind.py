"""Back to an item of a session, and forth again: the conversation, the files, or both."""

from collections.abc import Sequence
from dataclasses import field, replace

from agls.doors.messages import JsonObject
from agls.engine.admission import Refused
from agls.engine.facts import Rewound
from agls.engine.history import name_of, rewinding, undoing
from agls.engine.ports import new_id
from agls.engine.run_action import actions, invoke
from agls.engine.session import Session
from agls.frozen import frozen
from agls.toolkit import change_of

WHAT = ("conversation", "files", "both")
RESTORE = "checkpoint.restore"
OFF = (
    "Files cannot be rewound here: checkpoints are switched off ([checkpoints]). The conversation alone can: "
    'what is "conversation".'
)


@frozen
class Back:
    """The destination: an item ("" for the beginning), or the state before the rewind `undo`."""

    to_item: str = ""
    undo: str = ""
    what: str = "both"
    dry_run: bool = False


@frozen
class Gone:
    """The outcome of going back: `restored` is the result of `checkpoint.restore` for the files."""

    fact: Rewound
    dropped: Sequence[str]
    restored: JsonObject = field(default_factory=JsonObject)


async def go_back(session: Session, back: Back) -> Gone:
    """Go back, or return what would go back. **Raises** `Refused` and `ActionError`."""
    before = session.state.context.messages
    fact = _planned(session, back)
    restored = await _restored(session, back) if back.what != "conversation" else {}
    kept = session.state.rewinds[fact.undoes] if fact.undoes else before[: fact.keep]
    if not back.dry_run:
        changes = tuple(map(change_of, restored.get("changes", [])))
        fact = replace(fact, checkpoint_id=restored.get("checkpointId", fact.checkpoint_id), changes=changes)
        session.log.record(fact)
        await session.log.sync()
    return Gone(fact, [name_of(message) for message in before[len(kept) :]], restored)


def _planned(session: Session, back: Back) -> Rewound:
    if back.what == "files":
        return Rewound(new_id("rewind"), back.to_item)
    return undoing(session, back.undo) if back.undo else rewinding(session, back.to_item)


async def _restored(session: Session, back: Back) -> JsonObject:
    """Return the changes of files that the room `checkpoints` made, or would make."""
    if RESTORE not in {action.name for action in actions(session)}:
        raise Refused(OFF, "unsupported")
    asked: JsonObject = {"checkpointId": back.undo} if back.undo else {"toItemId": back.to_item}
    outcome = await invoke(session, RESTORE, {**asked, "dryRun": back.dry_run})
    return outcome.data or {}
