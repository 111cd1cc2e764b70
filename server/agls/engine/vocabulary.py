"""The nouns that facts are made of: messages, tool outcomes, questions, limits, reasons to stop."""

from collections.abc import Callable
from dataclasses import field, replace
from enum import StrEnum
from typing import Any, Literal

from agls.diff import Patch
from agls.frozen import frozen
from agls.terminal_codes import in_colours

JsonObject = dict[str, Any]


class StopReason(StrEnum):
    """Why a run ended. `model_error` and `internal_error` are both `error` on the wire."""

    END_TURN = "end_turn"
    MAX_TOKENS = "max_tokens"
    MAX_TURNS = "max_turns"
    BUDGET = "budget"
    CONTEXT_FULL = "context_full"
    REFUSAL = "refusal"
    CANCELLED = "cancelled"
    TIMEOUT = "timeout"
    KILLED = "killed"
    GUARD = "guard"
    MODEL_ERROR = "model_error"
    INTERNAL_ERROR = "internal_error"
    INTERRUPTED = "interrupted"


@frozen
class Stop:
    """Why a run ended: `detail` is for people, `kind` is the machine-readable class of an error.

    Of a model that failed: the HTTP `status`, whose it is, how often it was asked, and when (Unix time in
    seconds) its `provider` says that it may be asked again.
    """

    reason: StopReason
    detail: str = ""
    kind: str = ""
    status: int | None = None
    provider: str = ""
    attempts: int = 0
    resets_at: float | None = None


BY_USER = Stop(StopReason.CANCELLED, "cancelled by the user")
SHUT_DOWN = Stop(StopReason.INTERRUPTED, "agls was closed before it was done; it can be continued")


# --- the parts of messages -----------------------------------------------------------------------


@frozen
class Text:
    """Plain text."""

    text: str


@frozen
class Image:
    """An image: base64 data and its media type."""

    data: str
    media_type: str


@frozen
class Resource:
    """A named piece of text the user attached: a file, a selection, a diagnostic."""

    uri: str
    text: str


@frozen
class ResourceLink:
    """A thing the user pointed at without its content; the model may read it with a tool."""

    uri: str
    name: str = ""


Content = Text | Image | Resource | ResourceLink


@frozen
class ToolCall:
    """A call the model asked for. `malformed` holds the raw arguments when they were no JSON object."""

    call_id: str
    name: str
    arguments: JsonObject
    malformed: str = ""


@frozen
class Usage:
    """Tokens one model call used; `None` where the provider did not say. Input includes cached tokens.

    `estimated`: nobody counted them to the end, as of an answer that was cancelled.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None
    estimated: bool = False


@frozen
class TokenCount:
    """Tokens, and how sure they are.

    They are counted by the server, or with a tokenizer on this machine; or estimated from the model's usage,
    or a guess (± 1/3). `note` is the file of the tokenizer, or says why the configured one does not count.
    """

    tokens: int
    sure: Literal["told", "tokenizer", "calibrated", "guess"]
    note: str = ""


@frozen
class UserMessage:
    """A message in the user's place: their own words, or those of `origin` (a room's name)."""

    item_id: str
    content: tuple[Content, ...]
    origin: str = "user"


@frozen
class AssistantMessage:
    """A message of the model.

    `cut`: the user stopped it in the middle; `unfinished`: its output limit did.
    """

    item_id: str
    text: str
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    opaque: JsonObject = field(default_factory=dict[str, Any])
    cut: bool = False
    unfinished: bool = False


CallStatus = Literal["completed", "failed", "rejected", "cancelled"]
RefusedBy = Literal["", "rule", "mode", "policy", "hook", "limit", "user", "nobody"]


@frozen
class ToolResult:
    """The result of a call, as the model reads it: `text` also describes the `images`. Every call has one."""

    call_id: str
    name: str
    text: str
    status: CallStatus = "completed"
    images: tuple[Image, ...] = ()

    @property
    def is_error(self) -> bool:
        """Whether the model must read this as a failure."""
        return self.status != "completed"


Message = UserMessage | AssistantMessage | ToolResult


@frozen
class Focus:
    """The user's place: a file, and first and last line (from 1) of the selection and of the visible part.

    An empty selection is the cursor: then nothing is `selected`.
    """

    path: str
    lines: tuple[int, int] | None = None
    selected: bool = False
    visible: tuple[int, int] | None = None


# --- the outcomes of tools ------------------------------------------------------------------------


@frozen
class FileVersion:
    """One state of a file: the SHA-256 of its bytes (hex, "" when absent) and the editor's version."""

    hash: str = ""
    version: int | None = None


ChangeKind = Literal["added", "modified", "deleted"]


@frozen
class FileChange:
    """One file as a call changed it. `patch` is a unified diff; `via` says through whom.

    A deleted file may be `trashed`: it is in the user's trash. `by_cell`: the patch is one of a notebook's
    cells as lines (`room/cell_lines.py`), not of its file. `cells` is such a patch beside that of the file.
    """

    uri: str
    change: ChangeKind
    base: FileVersion
    result: FileVersion
    patch: str
    via: Literal["editor", "disk"]
    insertions: int = 0
    deletions: int = 0
    trashed: bool = False
    by_cell: bool = False
    cells: str = ""

    @classmethod
    def of(
        cls,
        uri: str,
        change: ChangeKind,
        base: FileVersion,
        result: FileVersion,
        patch: Patch,
        via: Literal["editor", "disk"] = "disk",
    ) -> "FileChange":
        """Return the change with this patch."""
        return cls(uri, change, base, result, patch.text, via, patch.insertions, patch.deletions)


@frozen
class Terminal:
    """A command as it ran: `exit_code` is `None` when a signal or a time limit ended it.

    `unsaved` are the open files of which it saw an older text, because they were not saved. `coloured` is the
    text of its outcome with the colours that it printed, "" if it had none.
    """

    command: str
    cwd: str
    exit_code: int | None = None
    signal: str = ""
    unsaved: tuple[str, ...] = ()
    coloured: str = ""


Effects = Literal["none", "applied", "partial", "unknown"]


@frozen
class KeptOutput:
    """An output that is kept whole: the name of its file, and the bytes that are missing even there."""

    name: str
    truncated: int = 0


@frozen
class ToolOutcome:
    """The outcome of a call: `text` and `images` for the model, `changes` and `terminal` for the user.

    `status` is `failed` when the call went wrong in a way the model should read, `rejected` when someone
    refused it. `effects` says what is known of its traces. `truncated` counts the bytes of output that were
    left out of `text`, `kept` says where they are. `text` also describes the images: not every model sees
    them. `refused_by` says who refused: a deny rule, the mode, what agls never does (`policy`), a hook, a
    limit, the user, or `nobody`, when it needed a person and there was none.
    """

    text: str
    status: CallStatus = "completed"
    effects: Effects = "none"
    changes: tuple[FileChange, ...] = ()
    terminal: Terminal | None = None
    truncated: int = 0
    images: tuple[Image, ...] = ()
    kept: KeptOutput | None = None
    refused_by: RefusedBy = ""

    def settled(self) -> "ToolOutcome":
        """Return it as it is recorded: colours have only the lines that are in `text` as it is now."""
        if self.terminal is None or not self.terminal.coloured:
            return self
        coloured = in_colours(self.text, self.terminal.coloured)
        return replace(self, terminal=replace(self.terminal, coloured=coloured))

    @property
    def is_error(self) -> bool:
        """Whether the model must read this as a failure."""
        return self.status != "completed"


# --- commands --------------------------------------------------------------------------------------


def no_more_time() -> float:
    """Stand for a limit that holds."""
    return 0.0


@frozen
class Command:
    """A program to run. `argv` is run as it is; a shell command is `("bash", "-c", text)` made by the caller.

    `timeout` in seconds; when it is over, `more_time` is asked once more, and the command ends when it gives
    none. `keep` is how many bytes of output are kept (half head, half tail). `env` is added to the allowed
    environment, `unset` taken from it. `cwd` is relative to the root. `stdin` is all there is to read. With
    `reports` the last word of the arguments is the path of a file that the command may write a report to.
    With `no_screen` it is ended when it waits for keys on a whole screen, which nobody sees.
    """

    argv: tuple[str, ...]
    cwd: str = ""
    timeout: float = 120.0
    keep: int = 65_536
    env: dict[str, str] = field(default_factory=dict[str, str])
    stdin: str = ""
    unset: frozenset[str] = frozenset()
    reports: bool = False
    more_time: Callable[[], float] = no_more_time
    no_screen: bool = False


@frozen
class Finished:
    """How a command ended. `exit_code` is `None` when a signal (named in `signal`) ended it.

    `output` is standard output and error as they came, the middle left out beyond `keep` bytes;
    `total` counts all bytes. `left_over` counts the processes it left running, which were ended with it.
    `unsaved` are the open documents whose text it could not see, `changed` those whose files it changed.
    `coloured` are the lines of `output` with the colours that they had, "" without any.
    `report` is what it reported, as file names are decoded; `remarks` say what else there is to know of
    how it ran, each on a line of its own. `on_screen` is whether it was ended because it waited on a screen.
    """

    exit_code: int | None
    signal: str
    timed_out: bool
    output: str
    total: int
    seconds: float
    left_over: int = 0
    unsaved: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    report: str = ""
    remarks: tuple[str, ...] = ()
    coloured: str = ""
    on_screen: bool = False


# --- questions to a human ------------------------------------------------------------------------


@frozen
class Option:
    """One answer to a permission question. `rule` is shown to the user verbatim."""

    option_id: str
    label: str
    decision: Literal["allow", "reject"]
    scope: Literal["once", "session", "project"] = "once"
    rule: str = ""


@frozen
class Question:
    """A question only a human may answer: a permission (`options`), a plan to approve (the same), or a form.

    A form has a `schema`. What is filled into one that `is_secret` is for who asks alone: no fact has it.
    """

    kind: Literal["permission", "plan", "form"]
    title: str
    reason: str = ""
    call_id: str = ""
    subject: JsonObject = field(default_factory=dict[str, Any])
    options: tuple[Option, ...] = ()
    schema: JsonObject = field(default_factory=dict[str, Any])
    is_secret: bool = False


@frozen
class Answer:
    """How a question ended. `dismissed` counts as a refusal.

    `unanswered` means that nobody could be asked, or that the answer could not be understood (`feedback`).
    """

    outcome: Literal["selected", "dismissed", "accepted", "declined", "cancelled", "unanswered"]
    option_id: str = ""
    feedback: str = ""
    input: JsonObject | None = None
    content: JsonObject = field(default_factory=dict[str, Any])
    by: str = ""


# --- sessions ------------------------------------------------------------------------------------


@frozen
class SessionRow:
    """A session as a list shows it. Times are Unix seconds; `state` is idle, running or waiting."""

    session_id: str
    title: str
    cwd: str
    created_at: float
    updated_at: float
    state: str
    parent: str = ""
    tags: tuple[str, ...] = ()
    archived: bool = False
    interrupted: bool = False  # no process works on it, and it has a run to continue
    parent_item: str = ""  # the call of the parent that it works for, "" when it works for none


# --- limits --------------------------------------------------------------------------------------


@frozen
class Limits:
    """The most that one run may spend; `None` is unlimited. Tokens are counts, cost is US dollars.

    `max_session_turns` bounds the turns of all runs of the session. Seconds in which a question is open do
    not count.
    """

    max_turns: int | None = None
    max_model_calls: int | None = None
    max_tool_calls: int | None = None
    max_total_tokens: int | None = None
    max_input_tokens: int | None = None
    max_output_tokens: int | None = None
    max_cost_usd: float | None = None
    max_reasoning_tokens: int | None = None
    max_delegated_tasks: int | None = None
    max_session_turns: int | None = None
    max_seconds: float | None = None


Finish = Literal["stop", "tool_calls", "length", "refusal", "content_filter"]
ErrorKind = Literal[  # why a model call failed, as clients are told
    "auth",
    "quota",
    "rateLimit",
    "overloaded",
    "contextTooLong",
    "modelNotFound",
    "badRequest",
    "contentFilter",
    "network",
    "timeout",
    "providerInternal",
]
