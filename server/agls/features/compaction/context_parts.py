"""The parts of a context: the results that may go, and where the untouched end begins. Pure."""

from collections.abc import Collection, Sequence

from agls.engine.vocabulary import AssistantMessage, Message, ToolCall, ToolResult, UserMessage
from agls.features.compaction.sizes import bytes_in, result_size, size_of

WORTH = 200  # bytes of a result that is worth taking out
LONGEST = 200  # characters of what a list of the work says of one step


def old_results(messages: Sequence[Message], newest: int) -> tuple[str, ...]:
    """Return the calls of the results that may be taken out: the long ones, but not the `newest` results."""
    results = [message for message in messages if isinstance(message, ToolResult)]
    return tuple(m.call_id for m in results[: len(results) - newest] if len(m.text) > WORTH or m.images)


def freed_by(messages: Sequence[Message], call_ids: Sequence[str]) -> int:
    """Return the bytes of these results."""
    gone = frozenset(call_ids)
    return sum(result_size(m) - WORTH for m in messages if isinstance(m, ToolResult) and m.call_id in gone)


def among(message: Message, item_ids: Collection[str]) -> bool:
    """Return whether it is a message in the user's place with one of these ids."""
    return isinstance(message, UserMessage) and message.item_id in item_ids


def tail_of(messages: Sequence[Message], budget: float, words: Collection[str] = ()) -> int:
    """Return where the last messages of so many bytes begin: never between a call and its result."""
    start, size = len(messages), 0
    for place in reversed(range(len(messages))):
        size += 0 if among(messages[place], words) else size_of(messages[place])
        if size > budget and start < len(messages):
            break
        if not isinstance(messages[place], ToolResult):
            start = place
    return start


def words_kept(head: Sequence[Message], budget: float, words: Collection[str] = ()) -> tuple[str, ...]:
    """Return the messages of the user that stay: `words`, the first, the newest that fit.

    What rooms put in is none of them: each tells it again where the model does not see it any more.
    """
    kept = [m.item_id for m in head if isinstance(m, UserMessage) and m.item_id in words]
    said = [m for m in head if isinstance(m, UserMessage) and m.origin == "user" and m.item_id not in kept]
    for message in (*said[:1], *reversed(said[1:])):
        size = size_of(message)
        if size <= budget:  # one that is too long takes no room from the others
            budget -= size
            kept.append(message.item_id)
    return tuple(kept)


def without(head: Sequence[Message], kept: Sequence[str]) -> list[Message]:
    """Return the messages of the head that would go."""
    return [message for message in head if not among(message, kept)]


def steps_in(messages: Sequence[Message], budget: float) -> str:
    """Return a list of the work, a line for each reply and call: the last that fit into so many bytes."""
    lines: list[str] = []
    for message in reversed(messages):
        for line in reversed(_steps(message)):
            budget -= bytes_in(line)
            if budget < 0:
                return "\n".join(["- …", *reversed(lines)])
            lines.append(line)
    return "\n".join(reversed(lines))


def _steps(message: Message) -> list[str]:
    match message:
        case AssistantMessage(_, text, _, calls):
            return [*([f"- said: {_brief(text)}"] if text.strip() else []), *map(_call, calls)]
        case UserMessage():
            return []
        case _:
            return [f"- {message.name} failed: {_brief(message.text)}"] if message.is_error else []


def _call(call: ToolCall) -> str:
    return f"- called {call.name} {_brief(str(call.arguments))}"


def _brief(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[:LONGEST]}…"
