"""What the transcript says about going in circles. Counted there, so that a resume forgets nothing."""

from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from agls.engine.vocabulary import AssistantMessage, Message, ToolCall, ToolResult, UserMessage

ROOM = "guards"


def lately(messages: Sequence[Message]) -> tuple[list[Message], bool]:
    """What happened since the user or this room last spoke, newest first, and whether it was this room."""
    new: list[Message] = []
    for message in reversed(messages):
        if isinstance(message, UserMessage) and message.origin in {"user", ROOM}:
            return new, message.origin == ROOM
        new.append(message)
    return new, False


def failures(newest_first: Sequence[Message]) -> int:
    """How many calls failed in a row, up to now. What a human refused is no failure, and no success."""
    statuses = (message.status for message in newest_first if isinstance(message, ToolResult))
    judged = (status for status in statuses if status != "rejected")
    return sum(1 for _ in takewhile("failed".__eq__, judged))


def repetitions(newest_first: Sequence[Message]) -> int:
    """How often the last call was made in a row, with the same name and the same arguments."""
    calls = list(_calls(newest_first))
    same = sum(1 for _ in takewhile(lambda pair: _alike(*pair), pairwise(calls)))
    return same + 1 if calls else 0


def last_call(newest_first: Sequence[Message]) -> str:
    """The name of the tool called last."""
    return next((call.name for call in _calls(newest_first)), "")


def _calls(newest_first: Sequence[Message]) -> Iterator[ToolCall]:
    for message in newest_first:
        if isinstance(message, AssistantMessage):
            yield from reversed(message.tool_calls)


def _alike(one: ToolCall, other: ToolCall) -> bool:
    return (one.name, one.arguments, one.malformed) == (other.name, other.arguments, other.malformed)
