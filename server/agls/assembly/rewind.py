"""Back to an item of a session, and forth again: the conversation, the files, or both."""

from collections.abc import Sequence
from dataclasses import field, replace

from agls.engine.admission import Refused
from agls.engine.facts import Rewound
from agls.engine.history import name_of, rewinding, undoing
from agls.engine.ports import new_id
from agls.engine.run_action import actions, invoke
from agls.engine.session import Session
from agls.engine.state import State
from agls.engine.vocabulary import JsonObject, Message
from agls.frozen import frozen
from agls.toolkit import change_of

WHAT = ("conversation", "files", "both")
RESTORE, LIST = "checkpoint.restore", "checkpoint.list"
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
    """The outcome of going back: ids of messages; `restored` is what `checkpoint.restore` did to files."""

    fact: Rewound
    dropped: Sequence[str]
    returned: Sequence[str] = ()
    restored: JsonObject = field(default_factory=JsonObject)


async def go_back(session: Session, back: Back) -> Gone:
    """Go back, or return what would go back. **Raises** `Refused` and `ActionError`."""
    if back.undo and back.what == "both" and not await _has_files(session, back.undo):
        back = replace(back, what="conversation")
    before = session.state.context.messages
    fact = _planned(session, back)
    restored = await _restored(session, back) if back.what != "conversation" else {}
    kept = session.state.rewinds[fact.undoes] if fact.undoes else before[: fact.keep]
    if not back.dry_run:
        changes = tuple(map(change_of, restored.get("changes", [])))
        fact = replace(fact, checkpoint_id=restored.get("checkpointId", fact.checkpoint_id), changes=changes)
        session.log.record(fact)
        await session.log.sync()
    return Gone(fact, _only_in(before, kept), _only_in(kept, before), restored)


def _only_in(messages: Sequence[Message], others: Sequence[Message]) -> list[str]:
    known = set(map(name_of, others))
    return [name for name in map(name_of, messages) if name not in known]


def _planned(session: Session, back: Back) -> Rewound:
    if back.what == "files":
        return Rewound(new_id("rewind"), back.to_item)
    return undoing(session, back.undo) if back.undo else rewinding(session, back.to_item)


async def _has_files(session: Session, rewind: str) -> bool:
    """**Returns** whether files went back in a rewind, or it is not known as one of the conversation."""
    if rewind not in session.state.rewinds or LIST not in {action.name for action in actions(session)}:
        return rewind not in session.state.rewinds
    known = (await invoke(session, LIST, {})).data or {}
    return any(restore["checkpointId"] == rewind for restore in known["restores"])


async def _restored(session: Session, back: Back) -> JsonObject:
    """Return the changes of files that the room `checkpoints` made, or would make."""
    if RESTORE not in {action.name for action in actions(session)}:
        raise Refused(OFF, "unsupported")
    place = _in_transcript(session.state, back.to_item)
    asked: JsonObject = {"checkpointId": back.undo} if back.undo else {"toItemId": place}
    outcome = await invoke(session, RESTORE, {**asked, "dryRun": back.dry_run})
    return outcome.data or {}


def _in_transcript(state: State, item_id: str) -> str:
    """**Returns** the item up to which files stay: for a summary, the one before what stands behind it."""
    seen = list(map(name_of, state.context.messages))
    said = list(map(name_of, state.transcript))
    if item_id in said or item_id not in seen:
        return item_id
    behind = next((name for name in seen[seen.index(item_id) + 1 :] if name in said), "")
    return ["", *said][said.index(behind) if behind else len(said)]
