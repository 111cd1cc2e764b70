"""The events of the one notification `agent/event`: the envelope, and the `data` of each type.

`DURABLE` types come from facts and carry their `seq`; all others may be lost and carry `after`.
Where a type could be either, what comes from a fact has its `seq`.

All are typed dictionaries with the names of the wire: what the server makes is what is written, without a
conversion in between. An optional member that is `None` is left out.
"""

from typing import Annotated, Any, NotRequired, TypedDict

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


class Event(TypedDict):
    """The envelope of every event. `ts` is ISO 8601 in UTC; `data` is by `type`."""

    v: int
    sessionId: str
    epoch: str
    ts: str
    type: str
    agentId: str
    data: JsonObject
    seq: NotRequired[int | None]
    after: NotRequired[int | None]
    runId: NotRequired[str | None]
    turnId: NotRequired[str | None]
    itemId: NotRequired[str | None]
    parentItemId: NotRequired[str | None]
    _meta: NotRequired[JsonObject | None]


class EventParams(TypedDict):
    """One or more consecutive events; all events of one fact are in the same notification."""

    events: list[Event]


class SessionStateData(TypedDict):
    """`state` is idle, running, requiresAction or closed (no more events of the session follow)."""

    state: str
    queued: int
    backgroundTasks: int


class SessionInfoData(TypedDict):
    """What is known of the session; full replacement values."""

    cwd: NotRequired[str | None]
    title: NotRequired[str | None]
    parentSessionId: NotRequired[str | None]
    additionalRoots: NotRequired[list[str] | None]


class OptionsData(TypedDict):
    """The session's options; full replacement values."""

    options: JsonObject


class RunAdmittedData(TypedDict):
    """A prompt was accepted; `admission` is started or queued."""

    admission: str
    itemId: str
    content: list[Content]
    recovers: NotRequired[str | None]


class RunStartedData(TypedDict):
    """An admitted run began."""

    limits: NotRequired[Limits | None]


class RunEndedData(TypedDict):
    """A run is over; `unpriced` counts model calls whose cost is not in `cost` (US dollars).

    `estimated` counts model calls whose tokens nobody counted: of those that were answered, `usage` has an
    estimate; those that were cancelled or broke off are in neither `usage` nor `cost`.
    `output` is the answer as JSON that fits the option `outputSchema`.
    """

    stopReason: str
    filesChanged: list[FileChanged]
    usage: NotRequired[Usage | None]
    cost: NotRequired[float | None]
    unpriced: NotRequired[int | None]
    estimated: NotRequired[int | None]
    unanswered: NotRequired[int | None]
    detail: NotRequired[str | None]
    error: NotRequired[RunError | None]
    output: NotRequired[Any]


class TurnStartedData(TypedDict):
    """One model request began."""

    model: str


class TurnEndedData(TypedDict):
    """The request and the tool calls it caused are done; `model` when another one answered than was asked."""

    usage: NotRequired[Usage | None]
    cost: NotRequired[float | None]
    finish: NotRequired[str | None]
    overflowed: NotRequired[bool | None]
    model: NotRequired[str | None]


class TurnRetryingData(TypedDict):
    """The request failed and is sent again; `discardPartial` when something was shown of it."""

    attempt: int
    delayMs: int
    cause: str
    discardPartial: bool


class ItemData(TypedDict):
    """The whole item."""

    item: Item


class ItemDeltaData(TypedDict):
    """Text (`append`) for the end of `field`, at `offset`, counted in UTF-8 bytes.

    `coloured` is the same text with the colours in which a command printed it, as in `Terminal`.
    """

    field: str
    offset: int
    append: str
    coloured: NotRequired[str]


class ItemUpdatedData(TypedDict):
    """A JSON merge patch (RFC 7396) of the item."""

    patch: JsonObject


class RequestResolvedData(TypedDict):
    """How a question ended: selected, dismissed, accepted, declined, cancelled or unanswered."""

    requestId: str
    outcome: str
    optionId: NotRequired[str | None]
    feedback: NotRequired[str | None]
    by: NotRequired[str | None]


class Waiting(TypedDict):
    """A run that waits for its turn."""

    runId: str
    itemId: str
    content: list[Content]


class QueueChangedData(TypedDict):
    """The whole queue."""

    queue: list[Waiting]


class ContextUsageData(TypedDict):
    """How many tokens the last request and its answer took, of how many that the model holds (`size`).

    `sure` says where the count comes from: told (counted by the server), calibrated (estimated from its
    counts of other requests), guess. When it is absent, that is unknown.
    `cost` is US dollars of the whole session, as far as prices are known.
    """

    used: int
    sure: NotRequired[str | None]
    size: NotRequired[int | None]
    cost: NotRequired[float | None]


class CommandsData(TypedDict):
    """The slash commands there are, as in `agent/action/list`; full replacement value."""

    commands: list[Annotated[JsonObject, Action]]


class McpStatusData(TypedDict):
    """The MCP servers of the session; full replacement value."""

    servers: list[McpServer]


class TurnDiffData(TypedDict):
    """What the run changed so far, as a unified diff of each file; full replacement value.

    `truncated` counts the bytes of diffs that are left out; the action `changes` gives them all.
    """

    diff: str
    truncated: NotRequired[int | None]


class TaskChangedData(TypedDict):
    """A background task: `state` is running, completed, failed or stopped; `itemId` is its item."""

    taskId: str
    state: str
    title: NotRequired[str | None]
    itemId: NotRequired[str | None]
    exitCode: NotRequired[int | None]


class CheckpointData(TypedDict):
    """The contents of these `files` (URIs) before a call, a command or a restore (`reason`) are kept.

    `checkpointId` is that call, for the action `checkpoint.diff`, or the restore, which it undoes. The event
    of a restore comes when the restore begins, without files, and again with each file.
    """

    checkpointId: str
    reason: str
    files: list[str]


class NoticeData(TypedDict):
    """Something the user should know; advisory only. `kind` detached: no more events, resume for the rest."""

    severity: str
    title: str
    text: str
    kind: NotRequired[str | None]


class HeartbeatData(TypedDict):
    """The session lives: its last fact and its state, so that a client can compare."""

    seq: int
    state: str


GapData = TypedDict("GapData", {"from": int, "to": int, "itemIds": list[str]})
GapData.__doc__ = """Deltas of these items were left out: the client did not read.

An `itemUpdated` of each follows.
What is missing stood behind the facts `from` up to `to`, both included.
"""


class RecordedData(TypedDict):
    """A fact with nothing to show; it keeps `seq` free of holes. Members are by `fact`.

    `limitsChanged` has the `limits` of the running run, all of them; `used` who spent what beside the loop.
    """

    fact: str
    feature: NotRequired[str | None]
    kind: NotRequired[str | None]
    name: NotRequired[str | None]
    by: NotRequired[str | None]
    itemId: NotRequired[str | None]
    runId: NotRequired[str | None]
    content: NotRequired[list[Content] | None]
    usage: NotRequired[Usage | None]
    cost: NotRequired[float | None]
    limits: NotRequired[Limits | None]


class HistoryRewoundData(TypedDict):
    """The conversation (its last item is `lastItemId`, "" for none) or files went back.

    `checkpointId` names what stood before; `undoes` an earlier rewind whose before stands again.
    """

    checkpointId: str
    lastItemId: str
    conversation: bool
    changes: list[Annotated[Any, Change]]
    undoes: NotRequired[str | None]


EventData = (
    SessionStateData
    | SessionInfoData
    | OptionsData
    | RunAdmittedData
    | RunStartedData
    | RunEndedData
    | TurnStartedData
    | TurnRetryingData
    | TurnEndedData
    | ItemData
    | ItemDeltaData
    | ItemUpdatedData
    | Question
    | RequestResolvedData
    | QueueChangedData
    | ContextUsageData
    | CommandsData
    | McpStatusData
    | TurnDiffData
    | TaskChangedData
    | CheckpointData
    | NoticeData
    | HeartbeatData
    | GapData
    | HistoryRewoundData
    | RecordedData
)

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

RESERVED: frozenset[str] = frozenset()
"""Types that no server sends yet."""
