"""What a client may do with sessions besides running them. Written as `items.py` is."""

from dataclasses import field
from typing import Annotated, Any, Literal

from agls_protocol.items import Content, FileChanged, Input, Item, JsonObject, Said
from agls_protocol.record import record
from agls_protocol.types import PAGE_BYTES, Cursor


@record
class SessionForkParams:
    """A fork holds everything up to the item `atItemId`, that included; without it, everything."""

    session_id: str
    at_item_id: str = ""
    title: str = ""
    client_key: str = ""


@record
class SessionForkResult:
    """The new session; resume it to receive its events."""

    session_id: str
    epoch: str
    seq: int


@record
class SessionRewindParams:
    """Back to `toItemId`, the last item kept ("" for none), or to what stood before the rewind `undo`.

    `what` is conversation, files or both; with `dryRun` nothing changes.
    """

    session_id: str
    to_item_id: str | None = None
    what: str = "conversation"
    dry_run: bool = False
    undo: str = ""
    client_key: str = ""


@record
class Conflict:
    """A file that is left as it is, because somebody else changed it since."""

    uri: str
    reason: str


@record
class SessionRewindResult:
    """What changed, or would: `checkpointId` undoes it, `droppedItemIds` are no longer before the model."""

    files: list[FileChanged]
    conflicts: list[Conflict]
    dropped_item_ids: list[str]
    last_item_id: str
    checkpoint_id: str | None = None


@record
class SessionRenameParams:
    """Gives a session another title."""

    session_id: str
    title: str


@record
class SessionIdParams:
    """`agent/session/delete` removes it for good; after `agent/detach` its work goes on without us."""

    session_id: str


@record
class EventsParams:
    """A page of history: the events before or after a cursor; `types` leaves out all others.

    It has `limit` events and `maxBytes` at most, but always those of one fact.
    """

    session_id: str
    before: Cursor | None = None
    after: Cursor | None = None
    limit: int = 500
    types: list[str] | None = None
    max_bytes: int = PAGE_BYTES


@record
class EventsResult:
    """Events in their order; without `nextCursor` there are no more in that direction."""

    events: list[JsonObject]
    next_cursor: Cursor | None = None


@record
class ByteRange:
    """Bytes from `start` up to, not including, `end`."""

    start: int
    end: int


@record
class ItemParams:
    """One item; with `field` and `range`, a part of one of its texts, in UTF-8 bytes.

    `field` is a member, or a JSON Pointer (RFC 6901) to a text inside; the result has about `maxBytes`.
    """

    session_id: str
    item_id: str
    field: str = ""
    range: ByteRange | None = None
    max_bytes: int = PAGE_BYTES


@record
class ItemResult:
    """The item, or a part of a field: `text`, which begins at byte `start` of `total`."""

    item: Annotated[Any, Item | None] = None
    text: str | None = None
    start: int | None = None
    total: int | None = None


@record
class QueueParams:
    """`op` is list, remove, replace or move; `itemId` is the waiting prompt, `to` its new place from 0.

    `expand` is as in `agent/run`, but a command is refused: it does not wait.
    """

    session_id: str
    op: Literal["list", "remove", "replace", "move"] = "list"
    item_id: str = ""
    input: Input = None
    to: int = 0
    client_key: str = ""
    max_bytes: int = PAGE_BYTES
    expand: bool = False


@record
class Queued:
    """A prompt that waits."""

    run_id: str
    item_id: str
    content: list[Annotated[Any, Content]]


@record
class QueueResult:
    """The queue as it is now."""

    queue: list[Annotated[Any, Queued]]


@record
class SetOptionParams:
    """Sets an option of the session for its next runs; null takes it back.

    `chosenBy` is "user" when a person chose the option `mode`.
    """

    session_id: str
    option_id: str
    value: Any = None
    chosen_by: str = ""


@record
class OptionsResult:
    """All options of the session."""

    options: JsonObject


# --- actions -------------------------------------------------------------------------------------


@record
class ActionListParams:
    """The actions of a session; without one, those that a new session of the open folder would have."""

    session_id: str = ""


@record
class Action:
    """Something the user can do; `slash` is how it is written in a prompt, `when` is idle, running or any.

    `group` is the heading under which it stands.
    """

    name: str
    title: str
    description: str
    input_schema: JsonObject
    slash: str
    when: str
    group: str | None = None


@record
class ActionListResult:
    """The actions, in their order."""

    actions: list[Action]


@record
class ActionInvokeParams:
    """Does it; `input` is what its `inputSchema` describes."""

    session_id: str
    name: str
    input: JsonObject = field(default_factory=JsonObject)
    client_key: str = ""


@record
class ActionInvokeResult:
    """What came of it: `output` for people, `data` for programs, `runId` when it began a run."""

    output: list[Annotated[Any, Content]]
    data: JsonObject | None = None
    run_id: str | None = None


# --- the client's own tools, and its notifications -----------------------------------------------


@record
class CallToolParams:
    """`agent/callTool`: a call of a tool that the client offered; `itemId` is the call."""

    session_id: str
    item_id: str
    name: str
    input: JsonObject


@record
class CallToolAnswer:
    """`output` is content blocks or a bare string."""

    output: Said = None
    is_error: bool = False


@record
class FocusParams:
    """Where the user looks: the active document, the selection in it, the visible lines (LSP ranges).

    The last one counts; without `uri` the user looks at no document.
    """

    uri: str | None = None
    selection: JsonObject | None = None
    visible: list[JsonObject] = field(default_factory=list[JsonObject])
