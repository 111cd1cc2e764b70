"""What a conversation is made of on the wire: content, changes, items.

What the server makes is a typed dictionary with the names of the wire. What clients send (`FileContent`,
and the params of methods) is a `record`: `snake_case` here, `camelCase` on the wire. What is `None` is
left out there. Strings that name a kind are open: unknown values are kept and shown generically.
"""

from typing import Annotated, Any, Literal, NotRequired, TypedDict

from agls_protocol.record import record

JsonObject = dict[str, Any]


class TextContent(TypedDict):
    """Plain text."""

    text: str
    type: Literal["text"]


class ImageContent(TypedDict):
    """An image: base64 `data` and its media type."""

    data: str
    mimeType: str
    type: Literal["image"]


class ResourceContent(TypedDict):
    """A named piece of text the user attached: a file, a selection, a diagnostic."""

    uri: str
    text: str
    type: Literal["resource"]


class ResourceLinkContent(TypedDict):
    """A thing the user pointed at without its content."""

    uri: str
    name: NotRequired[str | None]
    type: Literal["resourceLink"]


@record
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


class FileVersion(TypedDict):
    """One state of a file: SHA-256 of its bytes (hex, "" when absent) and the editor's version."""

    hash: str
    version: NotRequired[int | None]


class Change(TypedDict):
    """One file as a tool call changed it; `patch` is a unified diff, `cells` one of a notebook's cells."""

    uri: str
    change: Literal["added", "modified", "deleted"]
    base: FileVersion
    result: FileVersion
    patch: str
    via: Literal["editor", "disk"]
    cells: NotRequired[str]


class FileChanged(TypedDict):
    """One file as a whole run changed it."""

    uri: str
    change: str
    insertions: int
    deletions: int


class Terminal(TypedDict):
    """A command as it ran; `exit_code` is `null` when a signal or a time limit ended it.

    `unsaved` are the open files whose newer text it did not see, because the editor had not saved them.
    `coloured` is the `output` of the item with the colours that the command printed: SGR sequences, and no
    other control characters. It is left out where there are none.
    """

    command: str
    cwd: str
    exitCode: int | None
    signal: NotRequired[str | None]
    unsaved: NotRequired[list[str] | None]
    coloured: NotRequired[str | None]


class Usage(TypedDict):
    """Tokens; a member nobody reported is left out. Input includes cached tokens."""

    inputTokens: NotRequired[int | None]
    outputTokens: NotRequired[int | None]
    reasoningTokens: NotRequired[int | None]
    cacheReadTokens: NotRequired[int | None]
    cacheWriteTokens: NotRequired[int | None]


class Limits(TypedDict):
    """What a run may spend; what is left out is unlimited. Cost is US dollars.

    `maxSessionTurns` counts the turns of all runs of the session.
    """

    maxTurns: NotRequired[int | None]
    maxModelCalls: NotRequired[int | None]
    maxToolCalls: NotRequired[int | None]
    maxTotalTokens: NotRequired[int | None]
    maxInputTokens: NotRequired[int | None]
    maxOutputTokens: NotRequired[int | None]
    maxCostUsd: NotRequired[float | None]
    maxReasoningTokens: NotRequired[int | None]
    maxDelegatedTasks: NotRequired[int | None]
    maxSessionTurns: NotRequired[int | None]
    maxSeconds: NotRequired[float | None]


class RunError(TypedDict):
    """Why a run ended with `stopReason: error`.

    `kind` is for programs; `message` is for people, and `title` stands above it. Of a model that failed:
    the `httpStatus` of its answer, its `provider`, how often it was asked (`attempts`), and from when on
    it may be asked again, if it said so (`resetsAt`, ISO 8601).
    """

    kind: str
    message: str
    title: NotRequired[str | None]
    httpStatus: NotRequired[int | None]
    provider: NotRequired[str | None]
    attempts: NotRequired[int | None]
    resetsAt: NotRequired[str | None]


class McpServer(TypedDict):
    """One MCP server of the session; `status` is connecting, connected, failed or stopped.

    One that `needsLogin` cannot be used before the user logs in (`mcp.login`), one that `needsInput` not
    before they gave it the input of this name (`mcp.input`).
    """

    name: str
    status: str
    tools: NotRequired[int | None]
    message: NotRequired[str | None]
    needsLogin: NotRequired[bool | None]
    needsInput: NotRequired[str | None]


# --- items ---------------------------------------------------------------------------------------


class MessageItem(TypedDict):
    """What the model said. `discarded` marks a reply that broke off and was given up."""

    itemId: str
    status: str
    kind: Literal["message"]
    text: NotRequired[str | None]
    discarded: NotRequired[bool | None]


class ThoughtItem(TypedDict):
    """What the model thought."""

    itemId: str
    status: str
    kind: Literal["thought"]
    text: NotRequired[str | None]
    discarded: NotRequired[bool | None]


class UserMessageItem(TypedDict):
    """What the user said; `steer` marks what was said into a running run."""

    itemId: str
    status: str
    content: list[Content]
    kind: Literal["userMessage"]
    steer: NotRequired[bool | None]


class ToolCallItem(TypedDict):
    """A tool call, from the model's request to its end.

    `effects` (none, applied, partial, unknown) says what is known of its traces; `truncated` counts
    the bytes that were left out of `output`; `malformed` holds arguments that were no JSON object.
    `images` are those that the call gave to the model; `output` says what they are. `refusedBy` says what
    kept it from running: rule, mode, policy, hook, limit, user, or nobody (nobody was there to allow it).
    """

    itemId: str
    status: str
    name: str
    title: str
    input: JsonObject
    kind: Literal["toolCall"]
    refusedBy: NotRequired[str | None]
    output: NotRequired[str | None]
    effects: NotRequired[str | None]
    changes: NotRequired[list[Change] | None]
    terminal: NotRequired[Terminal | None]
    truncated: NotRequired[int | None]
    malformed: NotRequired[str | None]
    images: NotRequired[list[ImageContent] | None]


class NoticeItem(TypedDict):
    """A message that stands in the user's place in the conversation; `title` names the room it is from."""

    itemId: str
    status: str
    title: str
    text: str
    kind: Literal["notice"]


class CompactionItem(TypedDict):
    """Most of what was before this was replaced by `text` in what the model sees: about so many tokens."""

    itemId: str
    status: str
    text: str
    kind: Literal["compaction"]
    tokensBefore: NotRequired[int | None]
    tokensAfter: NotRequired[int | None]


class TaskItem(TypedDict):
    """Work in the background: it may outlive its run. `truncated` bytes are missing in its output."""

    itemId: str
    status: str
    title: str
    kind: Literal["task"]
    output: NotRequired[str | None]
    terminal: NotRequired[Terminal | None]
    background: NotRequired[bool | None]
    effects: NotRequired[str | None]
    truncated: NotRequired[int | None]


class FileEditItem(TypedDict):
    """Files that changed outside of a tool call: a rewind, a hunk that was rejected."""

    itemId: str
    status: str
    changes: list[Change]
    kind: Literal["fileEdit"]
    title: NotRequired[str | None]


class SubagentItem(TypedDict):
    """A child agent that works for a call, `running` until it ends; its events are of `childSessionId`."""

    itemId: str
    status: str
    title: str
    kind: Literal["subagent"]
    childSessionId: NotRequired[str | None]
    text: NotRequired[str | None]


class PlanItemEntry(TypedDict):
    """An entry of the plan; it waits until those with the ids in `after` are done or cancelled."""

    id: int
    text: str
    state: Literal["pending", "inProgress", "done", "cancelled"]
    after: NotRequired[list[int] | None]


class PlanItem(TypedDict):
    """The plan of the work as it stands from here on; `text` has the entries for people, a line each."""

    itemId: str
    status: str
    title: str
    text: str
    entries: list[PlanItemEntry]
    kind: Literal["plan"]


class SideAnswerItem(TypedDict):
    """The answer (`text`) to what the user asked beside the work (`title`): the model sees neither."""

    itemId: str
    status: str
    title: str
    text: str
    background: NotRequired[bool]
    kind: Literal["sideAnswer"]


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
    | PlanItem
    | SideAnswerItem
)
