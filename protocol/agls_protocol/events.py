"""The events of the one notification `agent/event`: the envelope, and the `data` of each type.

`DURABLE` types come from facts and carry their `seq`; all others may be lost and carry `after`.
Where a type could be either, what comes from a fact has its `seq`.
"""

from typing import Annotated, Any

from attrs import define

from agls_protocol.items import (
    Change,
    Content,
    FileChanged,
    Item,
    JsonObject,
    Limits,
    McpServer,
    RunError,
    Usage,
)
from agls_protocol.sessions import Action
from agls_protocol.types import Question


@define
class Event:
    """The envelope of every event. `ts` is ISO 8601 in UTC; `data` is by `type`."""

    v: int
    session_id: str
    epoch: str
    ts: str
    type: str
    agent_id: str
    data: JsonObject
    seq: int | None = None
    after: int | None = None
    run_id: str | None = None
    turn_id: str | None = None
    item_id: str | None = None
    parent_item_id: str | None = None
    _meta: JsonObject | None = None


@define
class EventParams:
    """One or more consecutive events; all events of one fact are in the same notification."""

    events: list[Event]


@define
class SessionStateData:
    """`state` is idle, running, requiresAction or closed (nothing more is told of the session)."""

    state: str
    queued: int
    background_tasks: int


@define
class SessionInfoData:
    """What is known of the session; full replacement values."""

    cwd: str | None = None
    title: str | None = None
    parent_session_id: str | None = None
    additional_roots: list[str] | None = None


@define
class OptionsData:
    """The session's options; full replacement values."""

    options: JsonObject


@define
class RunAdmittedData:
    """A prompt was accepted; `admission` is started or queued."""

    admission: str
    item_id: str
    content: list[Content]
    recovers: str | None = None


@define
class RunStartedData:
    """An admitted run began."""

    limits: Limits | None = None


@define
class RunEndedData:
    """A run is over; `unpriced` counts model calls whose cost is not in `cost` (US dollars).

    `output` is the answer as JSON that fits the option `outputSchema`.
    """

    stop_reason: str
    files_changed: list[FileChanged]
    usage: Usage | None = None
    cost: float | None = None
    unpriced: int | None = None
    unanswered: int | None = None
    detail: str | None = None
    error: RunError | None = None
    output: Any = None


@define
class TurnStartedData:
    """One model request began."""

    model: str


@define
class TurnEndedData:
    """The request and the tool calls it caused are done; `model` when another one answered than was asked."""

    usage: Usage | None = None
    cost: float | None = None
    finish: str | None = None
    overflowed: bool | None = None
    model: str | None = None


@define
class TurnRetryingData:
    """The request failed and is sent again; `discardPartial` when something was shown of it."""

    attempt: int
    delay_ms: int
    cause: str
    discard_partial: bool


@define
class ItemData:
    """The whole item."""

    item: Annotated[JsonObject, Item]


@define
class ItemDeltaData:
    """Text (`append`) for the end of `field`, at `offset`, counted in UTF-8 bytes."""

    field: str
    offset: int
    append: str


@define
class ItemUpdatedData:
    """A JSON merge patch (RFC 7396) of the item."""

    patch: JsonObject


@define
class RequestResolvedData:
    """How a question ended: selected, dismissed, accepted, declined, cancelled or unanswered."""

    request_id: str
    outcome: str
    option_id: str | None = None
    feedback: str | None = None
    by: str | None = None


@define
class Waiting:
    """A run that waits for its turn."""

    run_id: str
    item_id: str
    content: list[Content]


@define
class QueueChangedData:
    """The whole queue."""

    queue: list[Waiting]


@define
class ContextUsageData:
    """How many tokens the last request and its answer took, of how many that the model holds (`size`).

    `sure` says how the count was got: told (by the server), calibrated (from what it told of others), guess.
    When it is absent, nobody knows.
    `cost` is US dollars of the whole session, as far as prices are known.
    """

    used: int
    sure: str | None = None
    size: int | None = None
    cost: float | None = None


@define
class CommandsData:
    """The slash commands there are, as in `agent/action/list`; full replacement value."""

    commands: list[Action]


@define
class McpStatusData:
    """The MCP servers of the session; full replacement value."""

    servers: list[McpServer]


@define
class TurnDiffData:
    """What the run changed so far, as a unified diff of each file; full replacement value.

    `truncated` counts the bytes of diffs that are left out; the action `changes` gives them all.
    """

    diff: str
    truncated: int | None = None


@define
class TaskChangedData:
    """A background task: `state` is running, completed, failed or stopped; `itemId` is its item."""

    task_id: str
    state: str
    title: str | None = None
    item_id: str | None = None
    exit_code: int | None = None


@define
class CheckpointData:
    """What these `files` (URIs) were before a call, a command or a restore (`reason`) changed them was kept.

    `checkpointId` is that call, for the action `checkpoint.diff`, or the restore, which it undoes. A restore
    is told when it begins, without files, and again with each file.
    """

    checkpoint_id: str
    reason: str
    files: list[str]


@define
class NoticeData:
    """Something the user should know; advisory only. `kind` detached: no more events, resume for the rest."""

    severity: str
    title: str
    text: str
    kind: str | None = None


@define
class HeartbeatData:
    """The session lives: its last fact and its state, so that a client can compare."""

    seq: int
    state: str


@define
class GapData:
    """Deltas of these items were left out: the client did not read. An `itemUpdated` of each follows.

    What is missing stood behind the facts `from` up to `to`, both included.
    """

    from_: int
    to: int
    item_ids: list[str]


@define
class RecordedData:
    """A fact with nothing to show; it keeps `seq` free of holes. Members are by `fact`.

    `limitsChanged` has the `limits` of the running run, all of them; `used` who spent what beside the loop.
    """

    fact: str
    feature: str | None = None
    kind: str | None = None
    name: str | None = None
    by: str | None = None
    item_id: str | None = None
    run_id: str | None = None
    content: list[Content] | None = None
    usage: Usage | None = None
    cost: float | None = None
    limits: Limits | None = None


@define
class HistoryRewoundData:
    """The conversation (its last item is `lastItemId`, "" for none) or files went back.

    `checkpointId` names what stood before; `undoes` an earlier rewind whose before stands again.
    """

    checkpoint_id: str
    last_item_id: str
    conversation: bool
    changes: list[Annotated[Any, Change]]
    undoes: str | None = None


EVENTS: dict[str, Any] = {
    "sessionState": SessionStateData,
    "sessionInfo": SessionInfoData,
    "options": OptionsData,
    "runAdmitted": RunAdmittedData,
    "runStarted": RunStartedData,
    "runEnded": RunEndedData,
    "turnStarted": TurnStartedData,
    "turnRetrying": TurnRetryingData,
    "turnEnded": TurnEndedData,
    "itemStarted": ItemData,
    "itemDelta": ItemDeltaData,
    "itemUpdated": ItemUpdatedData,
    "itemCompleted": ItemData,
    "requestOpened": Question,
    "requestResolved": RequestResolvedData,
    "queueChanged": QueueChangedData,
    "contextUsage": ContextUsageData,
    "commands": CommandsData,
    "mcpStatus": McpStatusData,
    "turnDiff": TurnDiffData,
    "taskChanged": TaskChangedData,
    "checkpoint": CheckpointData,
    "notice": NoticeData,
    "heartbeat": HeartbeatData,
    "gap": GapData,
    "historyRewound": HistoryRewoundData,
    "recorded": RecordedData,
}

DURABLE = frozenset(
    {
        "runAdmitted",
        "runStarted",
        "runEnded",
        "turnStarted",
        "turnEnded",
        "requestOpened",
        "requestResolved",
        "queueChanged",
        "taskChanged",
        "checkpoint",
        "sessionInfo",
        "options",
        "historyRewound",
        "recorded",
    }
)

RESERVED = frozenset({"mcpStatus"})
"""Types that no server tells yet."""
