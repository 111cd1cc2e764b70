"""What questions and methods carry: params and results, by `methods.py`. Written as `items.py` is."""

from dataclasses import field
from typing import Annotated, Any, Literal, NotRequired, TypedDict

from agls_protocol.items import Content, FileChanged, Input, JsonObject, McpServer, RunError, Usage
from agls_protocol.record import record

PAGE_BYTES = 1_048_576  # of a result whose client asks for no other size

# --- questions -----------------------------------------------------------------------------------


class Option(TypedDict):
    """One answer to a permission question; `rule` is shown to the user verbatim."""

    optionId: str
    label: str
    decision: Literal["allow", "reject"]
    scope: str
    rule: NotRequired[str | None]


class ShownText(TypedDict):
    """What must be seen before a permission is given, as plain text; not `whole` when some is left out."""

    text: str
    whole: bool


class Question(TypedDict):
    """A question to the human: a permission, a plan (`options`, `subject`, `shown`), or a form (`schema`)."""

    requestId: str
    kind: Literal["permission", "plan", "form"]
    title: str
    reason: NotRequired[str | None]
    itemId: NotRequired[str | None]
    subject: NotRequired[JsonObject | None]
    options: NotRequired[list[Option] | None]
    schema: NotRequired[JsonObject | None]
    shown: NotRequired[ShownText | None]


class ShownHunk(TypedDict):
    """A single change of an edit that is asked about: `old` lines, from `line` (from 0) on, become `new`."""

    hunkId: str
    uri: str
    line: int
    old: str
    new: str


class PermissionParams(Question):
    """`agent/requestPermission`: the question, and where it comes from.

    `hunks` are the single changes of an edit, for clients with `edits.confirm`.
    """

    sessionId: str
    runId: str
    agentId: str
    hunks: NotRequired[list[ShownHunk] | None]


@record
class PermissionAnswer:
    """`selected` with `optionId`, or `dismissed`, which is reject once. `feedback` reaches the model.

    `input` is the call as the user changed it (of clients with `permission.editInput`), `hunks` the ids of
    the changes they took (with `edits.confirm`); absent means as it is, and all of them.
    """

    outcome: str
    option_id: str | None = None
    feedback: str | None = None
    input: JsonObject | None = None
    hunks: list[str] | None = None


@record
class AskUserParams:
    """`agent/askUser`: `mode` form, to fill in (`schema` is a restricted JSON Schema), or url, to open.

    An address is opened in a browser only when the user wants that; `accept` says that they are done there.
    """

    request_id: str
    session_id: str
    run_id: str
    agent_id: str
    message: str
    schema: JsonObject
    mode: str = field(default="form", kw_only=True)
    item_id: str | None = None
    url: str | None = None


@record
class AskUserAnswer:
    """`accept` with `content`, `decline`, or `cancel`."""

    outcome: str
    content: JsonObject | None = None


@record
class SecretParams:
    """`agent/secret`: the key that the user keeps in the client for this host, and for no other."""

    host: str


@record
class SecretAnswer:
    """The key; absent when there is none."""

    value: str | None = None


# --- sessions ------------------------------------------------------------------------------------


@record
class SessionNewParams:
    """`cwd` and `additionalRoots` are `file:` URIs; `mcpServers` have a `name` at least.

    `chosenBy` is "user" when a person chose the option `mode`.
    """

    cwd: str
    additional_roots: list[str] = field(default_factory=list[str])
    mcp_servers: list[JsonObject] = field(default_factory=list[JsonObject])
    options: JsonObject = field(default_factory=JsonObject)
    title: str = ""
    client_key: str = ""
    chosen_by: str = ""


@record
class SessionNewResult:
    """The session as it begins; `mcp` says of each of its `mcpServers` whether it is served."""

    session_id: str
    epoch: str
    seq: int
    options: JsonObject
    commands: list[JsonObject]
    mcp: list[Annotated[Any, McpServer]]


@record
class SessionListParams:
    """`cwd` is a `file:` URI; `search` looks at titles and at what was said."""

    cwd: str = ""
    search: str = ""
    cursor: str = ""
    limit: int = 50
    max_bytes: int = PAGE_BYTES


@record
class SessionRow:
    """One session; `state` is idle, running or requiresAction, times are ISO 8601.

    `interrupted` means: nobody works on it, and there is a run to go on with (`continueRun`).
    `parentItemId` is the tool call of the parent that a child works for; a fork has none.
    """

    session_id: str
    title: str
    cwd: str
    created_at: str
    updated_at: str
    state: str
    parent_session_id: str | None = None
    tags: list[str] | None = None
    archived: bool | None = None
    interrupted: bool | None = None
    parent_item_id: str | None = None


@record
class SessionListResult:
    """One page of sessions, newest first; without `nextCursor` it is the last."""

    sessions: list[SessionRow]
    next_cursor: str | None = None


@record
class SessionCloseParams:
    """Cancels the session's work; its data stays."""

    session_id: str


@record
class Empty:
    """No members."""


@record
class Cursor:
    """A place in a session's facts."""

    epoch: str
    seq: int


# --- runs ----------------------------------------------------------------------------------------


@record
class RunParams:
    """`admission` is ifIdle, queue, steer or interrupt; `input` is content blocks or a bare string.

    `chosenBy` is "user" when a person chose the option `mode`. With `expand` the text is what somebody typed:
    what it points at comes beside it, and a command is done instead.
    """

    session_id: str
    input: Input = None
    admission: str = "queue"
    continue_run: bool = False
    expected_run_id: str = ""
    wait: bool = False
    options: JsonObject = field(default_factory=JsonObject)
    client_key: str = ""
    chosen_by: str = ""
    expand: bool = False
    work_done_token: Annotated[Any, str | int] = None


@record
class CommandResult:
    """A command that was done: the action it names, its `input` as it was understood, and what came of it."""

    name: str
    input: JsonObject
    output: list[Annotated[Any, Content]]
    data: JsonObject | None = None


@record
class RunAnswer:
    """`outcome` is started, queued, injected or action; with `wait` it also says how the run ended.

    `output` is the answer as JSON that fits the option `outputSchema`. `action` is what a command came to;
    `runId` is then the run that it began, "" for none.
    """

    run_id: str
    outcome: str
    item_id: str | None = None
    stop_reason: str | None = None
    usage: Annotated[Any, Usage] = None
    cost: float | None = None
    files_changed: list[Annotated[Any, FileChanged]] | None = None
    error: Annotated[Any, RunError] = None
    output: Any = None
    action: Annotated[Any, CommandResult] = None


@record
class SteerParams:
    """`ifEnded` says what becomes of the message when the run is over: run, queue or return.

    `expand` is as in `agent/run`.
    """

    session_id: str
    input: Input
    expected_run_id: str = ""
    if_ended: str = "return"
    client_key: str = ""
    expand: bool = False


@record
class AckParams:
    """The client has taken in the events of a session up to fact `seq`, and what was shown behind it."""

    session_id: str
    seq: int


@record
class SteerResult:
    """`outcome` is injected, queued, started, returned or action, which `action` describes."""

    outcome: str
    run_id: str | None = None
    item_id: str | None = None
    action: Annotated[Any, CommandResult] = None


@record
class CancelParams:
    """`queued` (keep or drop), `tasks` (keep or stop): what else ends; `reason` is in the end's event."""

    session_id: str
    run_id: str = ""
    queued: Literal["keep", "drop"] = "keep"
    tasks: Literal["keep", "stop"] = "keep"
    reason: str = ""


@record
class CancelResult:
    """`state` is cancelling, notRunning or alreadyEnded; `kept` and `dropped` are waiting runs.

    `keptTasks` and `stoppedTasks` are background tasks, where there are any; the latter end in a moment.
    """

    state: str
    kept: list[str]
    dropped: list[str]
    run_id: str | None = None
    kept_tasks: list[str] | None = None
    stopped_tasks: list[str] | None = None


@record
class RespondParams:
    """The answer to an open question, for clients that cannot answer server requests."""

    request_id: str
    response: Annotated[Any, PermissionAnswer | AskUserAnswer]


@record
class RespondResult:
    """`outcome` is accepted or alreadyResolved."""

    outcome: str


@record
class ModelRow:
    """A model that can be chosen; `default` marks the one that a run has when nothing else is said."""

    name: str
    provider: str
    context_window: int | None = None
    default: bool | None = None


@record
class ProviderAuth:
    """The key of a provider (its host): `state` is present, missing or none (nobody said that it has one).

    `variable` is the environment variable, `place` where else it is kept. The key itself is never sent.
    """

    provider: str
    state: Literal["present", "missing", "none"]
    variable: str | None = None
    place: str | None = None


@record
class CallWords:
    """The words for the calls of one tool: "Read" and "Reading", before what a call is about.

    `kind` groups tools that look alike to people; `about` is the argument that says what a call is about.
    """

    name: str
    done: str
    doing: str
    kind: Literal["read", "search", "edit", "command", "web", "plan", "helper", "question", "other"]
    about: str | None = None


@record
class Load:
    """What this process does: sessions with a run, runs that wait, bytes that the client has not read."""

    running: int
    queued: int
    unread_bytes: int


@record
class SessionState:
    """A session that is open in this process."""

    session_id: str
    state: str


@record
class StatusResult:
    """How the server is: `problem` says in one sentence why no run could begin, where that is so.

    `problemFile` is the `file:` URI of the configuration with the mistake, if it is about one.
    The default is the first of the `models`. `configFile` is the `file:` URI of the user's settings, which
    may not be there yet. The models that it names are read again before the next run when it has changed.
    `calls` has the words for calls of the tools that this server may offer.
    """

    version: str
    protocol_version: int
    models: list[ModelRow]
    auth: list[ProviderAuth]
    load: Load
    sessions: list[SessionState]
    config_file: str | None = None
    problem: str | None = None
    calls: list[CallWords] | None = None
    problem_file: str | None = None
