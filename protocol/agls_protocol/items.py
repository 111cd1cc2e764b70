"""What a conversation is made of on the wire: content, changes, items.

`snake_case` here, `camelCase` on the wire; what is `None` is left out there. Strings that name a kind are
open: unknown values are kept and shown generically (protocol 4.13).
"""

from typing import Annotated, Any, Literal

from attrs import define

JsonObject = dict[str, Any]


@define
class TextContent:
    """Plain text."""

    text: str
    type: Literal["text"] = "text"


@define
class ImageContent:
    """An image: base64 `data` and its media type."""

    data: str
    mime_type: str
    type: Literal["image"] = "image"


@define
class ResourceContent:
    """A named piece of text the user attached: a file, a selection, a diagnostic."""

    uri: str
    text: str
    type: Literal["resource"] = "resource"


@define
class ResourceLinkContent:
    """A thing the user pointed at without its content."""

    uri: str
    name: str | None = None
    type: Literal["resourceLink"] = "resourceLink"


@define
class FileContent:
    """A file that is attached to a prompt: base64 `data`, and what it is where that is known.

    An image becomes an `image`; any other file is kept, and stands in the message as a `resourceLink`.
    """

    name: str
    data: str
    mime_type: str | None = None
    type: Literal["file"] = "file"


Content = TextContent | ImageContent | ResourceContent | ResourceLinkContent
Said = Annotated[Any, list[Content] | str]  # read by the server's own code, which names what is wrong
Input = Annotated[Any, list[Content | FileContent] | str]  # of a prompt; read in the same way


# --- what items are made of ----------------------------------------------------------------------


@define
class FileVersion:
    """One state of a file: SHA-256 of its bytes (hex, "" when absent) and the editor's version."""

    hash: str
    version: int | None = None


@define
class Change:
    """One file as a tool call changed it; `patch` is a unified diff."""

    uri: str
    change: Literal["added", "modified", "deleted"]
    base: FileVersion
    result: FileVersion
    patch: str
    via: Literal["editor", "disk"]


@define
class FileChanged:
    """One file as a whole run changed it."""

    uri: str
    change: str
    insertions: int
    deletions: int


@define
class Terminal:
    """A command as it ran; `exit_code` is `null` when a signal or a time limit ended it.

    `unsaved` are the open files whose newer text it did not see, because the editor had not saved them.
    """

    command: str
    cwd: str
    exit_code: int | None
    signal: str | None = None
    unsaved: list[str] | None = None


@define
class Usage:
    """Tokens; a member nobody reported is left out. Input includes cached tokens."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None


@define
class Limits:
    """What a run may spend; what is left out is unlimited. Cost is US dollars.

    `maxSessionTurns` counts the turns of all runs of the session.
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


@define
class RunError:
    """Why a run ended with `stopReason: error`: `kind` for programs, `message` for people.

    Of a model that failed: the `httpStatus` of its answer, its `provider`, how often it was asked
    (`attempts`), and from when on it may be asked again, if it said so (`resetsAt`, ISO 8601).
    """

    kind: str
    message: str
    http_status: int | None = None
    provider: str | None = None
    attempts: int | None = None
    resets_at: str | None = None


@define
class McpServer:
    """One MCP server of the session; `status` is connecting, connected, failed or stopped."""

    name: str
    status: str
    tools: int | None = None
    message: str | None = None


# --- items ---------------------------------------------------------------------------------------


@define
class MessageItem:
    """What the model said. `discarded` marks a reply that broke off and was given up."""

    item_id: str
    status: str
    kind: Literal["message"] = "message"
    text: str | None = None
    discarded: bool | None = None


@define
class ThoughtItem:
    """What the model thought."""

    item_id: str
    status: str
    kind: Literal["thought"] = "thought"
    text: str | None = None
    discarded: bool | None = None


@define
class UserMessageItem:
    """What the user said; `steer` marks what was said into a running run."""

    item_id: str
    status: str
    content: list[Content]
    kind: Literal["userMessage"] = "userMessage"
    steer: bool | None = None


@define
class ToolCallItem:
    """A tool call, from the model's request to its end.

    `effects` (none, applied, partial, unknown) says what is known of its traces; `truncated` counts
    the bytes that were left out of `output`; `malformed` holds arguments that were no JSON object.
    """

    item_id: str
    status: str
    name: str
    title: str
    input: JsonObject
    kind: Literal["toolCall"] = "toolCall"
    output: str | None = None
    effects: str | None = None
    changes: list[Change] | None = None
    terminal: Terminal | None = None
    truncated: int | None = None
    malformed: str | None = None


@define
class NoticeItem:
    """A message that stands in the user's place in the conversation; `title` names the room it is from."""

    item_id: str
    status: str
    title: str
    text: str
    kind: Literal["notice"] = "notice"


@define
class CompactionItem:
    """Most of what was before this was replaced by `text` in what the model sees: about so many tokens."""

    item_id: str
    status: str
    text: str
    kind: Literal["compaction"] = "compaction"
    tokens_before: int | None = None
    tokens_after: int | None = None


@define
class TaskItem:
    """Work in the background: it may outlive its run. `truncated` bytes are missing in its output."""

    item_id: str
    status: str
    title: str
    kind: Literal["task"] = "task"
    output: str | None = None
    terminal: Terminal | None = None
    background: bool | None = None
    effects: str | None = None
    truncated: int | None = None


@define
class FileEditItem:
    """Files that changed outside of a tool call: a rewind, a hunk that was rejected."""

    item_id: str
    status: str
    changes: list[Change]
    kind: Literal["fileEdit"] = "fileEdit"
    title: str | None = None


@define
class SubagentItem:
    """A child agent; its events carry the session `childSessionId`."""

    item_id: str
    status: str
    title: str
    kind: Literal["subagent"] = "subagent"
    child_session_id: str | None = None
    text: str | None = None


Item = (
    MessageItem
    | ThoughtItem
    | UserMessageItem
    | ToolCallItem
    | NoticeItem
    | CompactionItem
    | TaskItem
    | FileEditItem
    | SubagentItem
)
