"""How the context becomes shorter: a summary takes the place of its beginning, results are taken out."""

from dataclasses import replace
from typing import NamedTuple

from aglet.engine.facts import Cleared, Compacted
from aglet.engine.vocabulary import Message, Text, ToolResult, UserMessage

ORIGIN = "compaction"  # of the message that is a summary
CLEARED = "[This result was taken out to make room. If you still need it, make the call again.]"


class Measure(NamedTuple):
    """How many tokens the first `messages` of the context have, with system prompt and tools; 0: not known.

    `at` is when the model was asked with it last (Unix seconds), 0 before the first time.
    """

    messages: int = 0
    tokens: int = 0
    at: float = 0.0


def shortened(messages: tuple[Message, ...], fact: Compacted | Cleared) -> tuple[Message, ...]:
    """The messages after this."""
    if isinstance(fact, Cleared):
        return tuple(_without_text(message, fact.call_ids) for message in messages)
    summary = UserMessage(fact.item_id, (Text(fact.summary),), ORIGIN)
    before = (m for m in messages[: fact.keep_from] if isinstance(m, UserMessage) and m.item_id in fact.kept)
    return (*before, summary, *messages[fact.keep_from :])


def _without_text(message: Message, call_ids: tuple[str, ...]) -> Message:
    taken_out = isinstance(message, ToolResult) and message.call_id in call_ids
    return replace(message, text=CLEARED) if taken_out else message
