"""What happened in a session (facts, durable) and what is only shown while it happens.

A fact is written once, numbered by the journal, and never changed. State is the fold of the facts
(`state.py`); the wire events are a translation of them (`views/project.py`). Whatever may be lost
without harm (a delta, a retry notice) is `Transient` instead.
"""

from dataclasses import field
from typing import Any, Literal

from agls.engine.vocabulary import (
    Answer,
    AssistantMessage,
    Content,
    FileChange,
    Finish,
    JsonObject,
    Limits,
    Question,
    Stop,
    ToolCall,
    ToolOutcome,
    Usage,
    UserMessage,
)
from agls.frozen import frozen
from agls.terminal_codes import without_colours

# --- facts ---------------------------------------------------------------------------------------


@frozen
class SessionChanged:
    """The session was made, or something about it changed. Empty fields leave the old value.

    An option that is `None` is taken back. `parent` is the session it was forked from or works for: then
    `parent_item` is the call it works for, and `depth` counts the sessions above it.
    """

    cwd: str = ""
    title: str = ""
    parent: str = ""
    roots: tuple[str, ...] = ()
    options: JsonObject = field(default_factory=dict[str, Any])
    parent_item: str = ""
    depth: int = 0


@frozen
class Admitted:
    """A prompt was accepted: from here on it is never lost. `recovers` names the run it goes on with."""

    run_id: str
    item_id: str
    content: tuple[Content, ...]
    client_key: str = ""
    options: JsonObject = field(default_factory=dict[str, Any])
    recovers: str = ""


@frozen
class QueueChanged:
    """The runs that wait, in their new order; the user removed those that are left out."""

    run_ids: tuple[str, ...]


@frozen
class RunStarted:
    """An admitted run began, with these limits: `None` for those that the run before had last.

    Its prompt went into the context if it stands in `item_ids`, or if that is `None`.
    """

    run_id: str
    limits: Limits | None = None
    item_ids: tuple[str, ...] | None = None

    def took(self, prompt_id: str) -> bool:
        """Return whether the prompt of the run went into the context with this fact."""
        return self.item_ids is None or prompt_id in self.item_ids


@frozen
class Steered:
    """A message for the running conversation; it waits until the next gate takes it in."""

    item_id: str
    run_id: str
    content: tuple[Content, ...]
    client_key: str = ""
    origin: str = "user"


@frozen
class TakenIn:
    """These messages, pending until now, went into the context: what was steered, and prompts of old."""

    item_ids: tuple[str, ...]


@frozen
class Injected:
    """These messages of a room went into the context."""

    messages: tuple[UserMessage, ...]


@frozen
class TurnStarted:
    """One model request began; `window` is how many tokens that model holds, where it is known."""

    turn_id: str
    model: str
    window: int | None = None


@frozen
class Replied:
    """The model's whole answer. `opaque` is provider data to be sent back unchanged; cost is US dollars.

    `model` is the one that answered where it is not the one that was asked, "" else. With no `model_calls` a
    feature answered in its place: that is no turn of the run.
    """

    item_id: str
    text: str
    thinking: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish: Finish = "stop"
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    model: str = ""
    opaque: JsonObject = field(default_factory=dict[str, Any])
    model_calls: int = 1

    @property
    def message(self) -> AssistantMessage:
        """The reply as it stands in the conversation."""
        unfinished = self.finish == "length" and not self.tool_calls
        return AssistantMessage(
            self.item_id, self.text, self.thinking, self.tool_calls, self.opaque, unfinished=unfinished
        )


@frozen
class Cut:
    """An answer that was not completed. After a cancel its text is kept, after a failure it is discarded.

    `usage` and `cost` are about what came of it.
    """

    item_id: str
    text: str
    thinking: str = ""
    usage: Usage = field(default_factory=Usage)
    cause: Literal["cancelled", "failed"] = "cancelled"
    cost: float | None = None


@frozen
class Overflowed:
    """The request did not fit the model's context window; token counts where the provider named them."""

    message: str
    limit: int | None = None
    used: int | None = None


@frozen
class Used:
    """What a part other than the loop spent (a critic, a compaction, a child), usually on one model call.

    `delegated_tasks` counts the children that were begun.
    """

    by: str
    usage: Usage
    cost: float | None = None
    model_calls: int = 1
    tool_calls: int = 0
    delegated_tasks: int = 0


@frozen
class ToolStarted:
    """A call is about to take effect, with the arguments that will really be used."""

    call_id: str
    name: str
    arguments: JsonObject


@frozen
class ToolFinished:
    """A call ended, whether or not it ever started."""

    call_id: str
    outcome: ToolOutcome


@frozen
class Asked:
    """A question was put to the human."""

    request_id: str
    question: Question


@frozen
class Answered:
    """A question was answered or withdrawn, or nobody was there to answer it."""

    request_id: str
    answer: Answer


@frozen
class Compacted:
    """The context before message `keep_from` (an index into it) was replaced by a summary.

    The messages `kept` (their item ids) of what was before stay in front of it. `cause` says why: threshold,
    overflow, or asked. Tokens are about what the context has, before and after; 0 when nobody counted.
    """

    item_id: str
    summary: str
    keep_from: int
    kept: tuple[str, ...] = ()
    cause: str = ""
    tokens_before: int = 0
    tokens_after: int = 0


@frozen
class Cleared:
    """The results of these calls left the context. `cause` (idle, too) and tokens are as in `Compacted`."""

    item_id: str
    call_ids: tuple[str, ...]
    cause: str = ""
    tokens_before: int = 0
    tokens_after: int = 0


@frozen
class Expanded:
    """The summary `undoes` (an item id) left the context: what it replaced stands there again.

    Tokens are as in `Compacted`.
    """

    item_id: str
    undoes: str
    tokens_before: int = 0
    tokens_after: int = 0


@frozen
class Rewound:
    """The conversation went back, and `checkpoint_id` names what stood before.

    The context is its first `keep` messages, `item_id` the last of them; or, when `undoes` names an
    earlier rewind, what stood before that one. `keep` is `None` when only files went back: `changes`.
    """

    checkpoint_id: str
    item_id: str = ""
    keep: int | None = None
    undoes: str = ""
    changes: tuple[FileChange, ...] = ()


@frozen
class PhaseStarted:
    """From here on this system prompt, model and tool set hold. `tools` is `None` for all tools."""

    name: str
    system: str
    model: str = ""
    tools: tuple[str, ...] | None = None


@frozen
class LimitsChanged:
    """The running run's limits are now these."""

    limits: Limits


@frozen
class Noted:
    """A room's own fact: the open door in this closed union."""

    feature: str
    kind: str
    data: JsonObject


BACKGROUND = "background"  # the room of notes about tasks that outlive their run (`background.py`)


@frozen
class RunEnded:
    """A run is over. Folding it closes every call and question that was still open."""

    run_id: str
    stop: Stop


@frozen
class Unknown:
    """A fact written by a newer agls, kept as it was."""

    kind: str
    data: JsonObject | list[Any]


RoomFact = Used | Steered | LimitsChanged  # the facts that a room may record at any time
GateFact = Injected | Compacted | Cleared | PhaseStarted | LimitsChanged
Fact = (
    SessionChanged
    | Admitted
    | QueueChanged
    | RunStarted
    | Steered
    | TakenIn
    | Injected
    | TurnStarted
    | Replied
    | Cut
    | Overflowed
    | Used
    | ToolStarted
    | ToolFinished
    | Asked
    | Answered
    | Compacted
    | Cleared
    | Expanded
    | Rewound
    | PhaseStarted
    | LimitsChanged
    | Noted
    | RunEnded
    | Unknown
)


@frozen
class Entry:
    """A fact as the journal holds it: `seq` counts 1, 2, 3 … per session; `at` is Unix time in seconds."""

    seq: int
    at: float
    fact: Fact


# --- shown only ----------------------------------------------------------------------------------


@frozen
class TextDelta:
    """More text of the reply `item_id`."""

    item_id: str
    text: str


@frozen
class ThinkingDelta:
    """More reasoning of the reply `item_id`."""

    item_id: str
    text: str


@frozen
class ToolDelta:
    """More output of a running call; `coloured` is the same with its colours, "" where it has none."""

    call_id: str
    text: str
    coloured: str = ""

    @classmethod
    def of(cls, call_id: str, text: str) -> "ToolDelta":
        """Return the delta for a text that may have colours."""
        plain = without_colours(text)
        return cls(call_id, plain, text if text != plain else "")


@frozen
class AsideDelta:
    """More of an answer beside the conversation, to `question`: the item that a note of its room ends."""

    item_id: str
    question: str
    text: str


@frozen
class Retrying:
    """A model request failed and will be sent again after `delay` seconds.

    `usage` and `cost` are of its answer, about, where that had begun.
    """

    attempt: int
    delay: float
    cause: str
    usage: Usage | None = None
    cost: float | None = None


@frozen
class Notice:
    """Something the user should know; it changes nothing."""

    severity: Literal["info", "warning", "error"]
    title: str
    text: str = ""


@frozen
class RunDiff:
    """What the run changed so far, as a unified diff; `truncated` counts the bytes that are left out."""

    diff: str
    truncated: int = 0


@frozen
class ToolServer:
    """Another program that brings tools: how far it is, how many it has, and what is wrong with it.

    `needs_input` is the name of an input that it lacks, which the user can give.
    """

    name: str
    status: Literal["connecting", "connected", "failed", "stopped"]
    tools: int | None = None
    message: str = ""
    needs_login: bool = False
    needs_input: str = ""


@frozen
class ToolServers:
    """All other programs that bring tools to the session, as they are now."""

    servers: tuple[ToolServer, ...]


ModelDelta = TextDelta | ThinkingDelta | Retrying
Transient = ModelDelta | ToolDelta | AsideDelta | Notice | RunDiff | ToolServers
"""What is only shown. It stands behind the fact that was recorded last."""
