"""Points of a conversation: where an item stands, and the prompts that one can go back to."""

from collections.abc import Sequence
from itertools import pairwise

from agls.engine.actions import ActionError
from agls.engine.history import name_of
from agls.engine.vocabulary import Message, Text, ToolResult, UserMessage
from agls.frozen import frozen
from agls.short_text import cut

TITLE = 80  # characters of a prompt that name it


@frozen
class Prompt:
    """What the user said, the item before it ("" for none), and from where to where it stood alone."""

    item_id: str
    before: str
    title: str
    since: int
    until: int


def position(transcript: Sequence[Message], item_id: str) -> int:
    """Return how many messages stand up to this item ("" for none), the results of its calls included.

    **Raises** `ActionError`.
    """
    if not item_id:
        return 0
    wanted = item_id.removesuffix(".thought")
    found = [place for place, message in enumerate(transcript, 1) if name_of(message) == wanted]
    if not found:
        raise ActionError(
            f"There is no item {item_id[:100]!r} in this session. "
            "checkpoint.list shows the points you can go back to."
        )
    end = found[-1]
    while end < len(transcript) and isinstance(transcript[end], ToolResult):
        end += 1
    return end


def prompts(transcript: Sequence[Message]) -> list[Prompt]:
    """Return the user's prompts, oldest first."""
    starts = [
        place
        for place, message in enumerate(transcript)
        if isinstance(message, UserMessage) and message.origin == "user"
    ]
    return [_prompt(transcript, start, end) for start, end in pairwise([*starts, len(transcript)])]


def _prompt(transcript: Sequence[Message], start: int, end: int) -> Prompt:
    message = transcript[start]
    before = name_of(transcript[start - 1]) if start else ""
    words = " ".join(part.text for part in getattr(message, "content", ()) if isinstance(part, Text))
    first = words.strip().partition("\n")[0]
    return Prompt(name_of(message), before, cut(first, TITLE), start + 1, end)
