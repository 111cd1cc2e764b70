"""The meaning of the notes of rooms for the watchers of a session, in the engine's words.

A room notes what it did in a form of its own. A row of its table turns such a note into one of these; the
views know how each looks to a client, and know no room.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from agls.engine.vocabulary import FileChange, JsonObject
from agls.frozen import frozen


@frozen
class FileEdit:
    """A file was changed outside of a tool call: an item with this title."""

    item_id: str
    title: str
    change: FileChange


@frozen
class ChildStart:
    """A session began to work for a call: an item that is open until `ChildEnd`, or until the call ends."""

    item_id: str
    call_id: str
    title: str
    session_id: str


@frozen
class ChildEnd:
    """A session that worked for a call ended: its item. `text` says why it failed, "" when it did not."""

    item_id: str
    call_id: str
    title: str
    status: str
    session_id: str
    text: str = ""


@frozen
class FilesKept:
    """The former contents of these files (URIs) are kept under a checkpoint.

    `reason` is call, command or restore.
    """

    checkpoint_id: str
    reason: str
    files: Sequence[str]


@frozen
class RunOutput:
    """The answer of the run as JSON that fits the schema it was given."""

    value: Any


EntryState = Literal["pending", "inProgress", "done", "cancelled"]


@frozen
class PlanEntry:
    """One entry of a plan, which comes `after` the entries with these ids."""

    id: int
    text: str
    state: EntryState = "pending"
    after: tuple[int, ...] = ()


@frozen
class PlanShown:
    """The plan is this now: an item. `text` has its entries for people, a line each."""

    item_id: str
    title: str
    text: str
    entries: Sequence[PlanEntry]


@frozen
class SideAnswer:
    """A question of the user beside the work, answered or given up: an item. The model sees neither."""

    item_id: str
    question: str
    text: str
    status: Literal["completed", "cancelled", "failed"] = "completed"


@frozen
class Remark:
    """A line for the readers of the history, which the model does not see: an item."""

    item_id: str
    title: str
    text: str


NoteItem = FileEdit | ChildStart | ChildEnd | FilesKept | RunOutput | PlanShown | Remark | SideAnswer
NoteRow = Callable[[JsonObject], Sequence[NoteItem]]


@frozen
class NoteTable:
    """What rooms show: by room and kind the rows of their notes; by room the heading of what it tells models.

    A note without a row has nothing to show.
    """

    rows: Mapping[tuple[str, str], NoteRow]
    headings: Mapping[str, str]
