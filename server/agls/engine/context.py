"""The context: the messages that the model still sees, how it grows, and how it becomes shorter."""

from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple, cast

from agls.engine.facts import Cleared, Compacted, Expanded
from agls.engine.vocabulary import (
    AssistantMessage,
    Message,
    Stop,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from agls.frozen import frozen

SUMMARY = "compaction"  # the origin of the message that is a summary, as journals have it
ENVIRONMENT = "environment"  # of the message that says where and when: a request can do without it
CLEARED = "[This result was taken out to make room. If you still need it, make the call again.]"


class Context(NamedTuple):
    """What the model still sees. `tools` is `None` for all of them, `model` "" for the session's."""

    phase: str = ""
    system: str = ""
    model: str = ""
    tools: tuple[str, ...] | None = None
    messages: tuple[Message, ...] = ()


class Measure(NamedTuple):
    """How many tokens the first `messages` of the context have, with system prompt and tools; 0: not known.

    `at` is when the model was asked with it last (Unix seconds), 0 before the first time.
    """

    messages: int = 0
    tokens: int = 0
    at: float = 0.0


@frozen
class OpenCall:
    """A call without a result: requested, or started with the arguments that are really used."""

    call: ToolCall
    started: bool = False


UNKNOWN = "[The outcome of this call is unknown: "


def closing_text(open_call: OpenCall, stop: Stop) -> str:
    """Return the text for the model about a call that was still open when its run ended."""
    if open_call.started:
        return (
            f"{UNKNOWN}it was running when the run ended ({stop.reason}). "
            "It was not run again. Check what it did before you repeat it.]"
        )
    return f"[This call was not run: the run ended first ({stop.reason}).]"


def placed(messages: tuple[Message, ...], message: Message) -> tuple[Message, ...]:
    """Return `messages` with one more; results finish in any order and stand in the order of their calls."""
    here = len(messages)
    if isinstance(message, ToolResult):
        here = _place(messages, message)
    if here == len(messages):
        return messages + (message,)  # noqa: RUF005 - what it suggests copies a long tuple twice
    return (*messages[:here], message, *messages[here:])


def _place(messages: tuple[Message, ...], result: ToolResult) -> int:
    at = len(messages)
    while at and isinstance(messages[at - 1], ToolResult):
        at -= 1
    asked = messages[at - 1] if at else None
    calls = [call.call_id for call in asked.tool_calls] if isinstance(asked, AssistantMessage) else []
    here = len(messages)
    if result.call_id in calls:
        first = calls[: calls.index(result.call_id)]
        while here > at and cast(ToolResult, messages[here - 1]).call_id not in first:
            here -= 1
    return here


class Replaced(NamedTuple):
    """The messages before a summary, and how many there were with it."""

    messages: tuple[Message, ...]
    length: int


def reshaped(
    messages: tuple[Message, ...], fact: Compacted | Cleared | Expanded, replaced: Mapping[str, Replaced]
) -> tuple[Message, ...]:
    """Return the messages after this fact: shorter, or with what a summary had `replaced`."""
    if not isinstance(fact, Expanded):
        return shortened(messages, fact)
    return expanded(messages, replaced[fact.undoes]) if fact.undoes in replaced else messages


def expanded(messages: tuple[Message, ...], replaced: Replaced) -> tuple[Message, ...]:
    """Return the messages with those before the summary; what came since, or was taken back, counts."""
    before, missing = replaced.messages, replaced.length - len(messages)
    return before[:-missing] if missing > 0 else (*before, *messages[replaced.length :])


def shortened(messages: tuple[Message, ...], fact: Compacted | Cleared) -> tuple[Message, ...]:
    """Return the messages after this fact: a summary replaces their beginning, or results are taken out."""
    if isinstance(fact, Cleared):
        return tuple(_emptied(message, fact.call_ids) for message in messages)
    summary = UserMessage(fact.item_id, (Text(fact.summary),), SUMMARY)
    before = (m for m in messages[: fact.keep_from] if isinstance(m, UserMessage) and m.item_id in fact.kept)
    return (*before, summary, *messages[fact.keep_from :])


def _emptied(message: Message, call_ids: tuple[str, ...]) -> Message:
    taken_out = isinstance(message, ToolResult) and message.call_id in call_ids
    return replace(message, text=CLEARED, images=()) if taken_out else message
