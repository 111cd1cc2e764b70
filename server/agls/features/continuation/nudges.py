"""The three messages of this room, and their places in the transcript."""

from collections.abc import Sequence

from agls.engine.facts import Injected
from agls.engine.ports import new_id
from agls.engine.vocabulary import AssistantMessage, Message, Text, UserMessage

ROOM = "continuation"
CONTINUE = (
    "Your reply was cut off at the output limit. Continue exactly where you stopped, "
    "without repeating anything and without a word about the interruption."
)
EMPTY = "Your last reply was empty. Go on with the task: call a tool, or answer in words."
INTERRUPTED = (
    "You were interrupted before you were finished. Go on with the task. "
    "What your earlier calls did is in their results; look before you do anything twice."
)


def say(text: str) -> Injected:
    """This line in the user's place, marked as this room's."""
    return Injected((UserMessage(new_id("item"), (Text(text),), ROOM),))


def said(text: str, messages: Sequence[Message]) -> int:
    """How often this line was said since the run began or the user last spoke."""
    count = 0
    for message in reversed(messages):
        if not isinstance(message, UserMessage):
            continue
        if message.origin == "user" or _is(message, INTERRUPTED):
            break
        count += _is(message, text)
    return count


def ends_with_a_reply(messages: Sequence[Message]) -> bool:
    """Whether the model spoke last, not counting what rooms have put behind it in the meantime."""
    for message in reversed(messages):
        if not isinstance(message, UserMessage):
            return isinstance(message, AssistantMessage)
        if message.origin in {"user", ROOM}:
            return False
    return False


def ends_without_a_word(messages: Sequence[Message]) -> bool:
    """Return whether the model spoke last and said nothing: no text and no call."""
    last = messages[-1] if messages else None
    return isinstance(last, AssistantMessage) and not (last.text.strip() or last.tool_calls)


def _is(message: UserMessage, text: str) -> bool:
    return message.origin == ROOM and message.content == (Text(text),)
