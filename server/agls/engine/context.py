"""The context: the messages that the model still sees, how it grows, and how it becomes shorter."""

from dataclasses import replace
from typing import NamedTuple

from agls.engine.facts import Cleared, Compacted
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
    if not isinstance(message, ToolResult):
        return (*messages, message)
    at = len(messages)
    while at and isinstance(messages[at - 1], ToolResult):
        at -= 1
    asked = messages[at - 1] if at else None
    calls = asked.tool_calls if isinstance(asked, AssistantMessage) else ()
    order = {call.call_id: index for index, call in enumerate(calls)}
    results = [m for m in (*messages[at:], message) if isinstance(m, ToolResult)]
    results.sort(key=lambda result: order.get(result.call_id, len(order)))
    return (*messages[:at], *results)


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
