"""How large messages are, without asking anybody: bytes, and about how many tokens they make."""

from collections.abc import Iterable

from agls.engine.state import State
from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    Image,
    Message,
    ResourceLink,
    ToolResult,
    UserMessage,
)

PER_TOKEN = 3.6  # bytes
IMAGE = 4_320  # bytes that are as many tokens as an image
EACH = 16  # bytes around a message
CERTAIN = 1.5  # how far a guess may be above what the model counts


def tokens_in(size: float) -> int:
    """About how many tokens so many bytes are."""
    return round(size / PER_TOKEN)


def bytes_in(text: str) -> int:
    """Return the bytes of a text."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def size_of(message: Message) -> int:
    """Return the bytes of a message."""
    match message:
        case UserMessage(_, content):
            return EACH + sum(map(_size_of_part, content))
        case AssistantMessage(_, text, thinking, calls):
            asked = sum(EACH + len(call.name) + bytes_in(str(call.arguments)) for call in calls)
            return EACH + bytes_in(text) + bytes_in(thinking) + asked
        case _:
            return EACH + result_size(message)


def result_size(result: ToolResult) -> int:
    """Return the bytes of a call's result."""
    return bytes_in(result.text) + IMAGE * len(result.images)


def sum_of(messages: Iterable[Message]) -> int:
    """Return the bytes of all of them."""
    return sum(map(size_of, messages))


class Ruler:
    """The tokens of a growing context: what the last reply was counted at, and an estimate of what is new."""

    def __init__(self) -> None:
        self._counted, self._size = 0, 0
        self._last: Message | None = None

    def surely(self, state: State) -> float:
        """Return the least number of tokens: those counted, and fewer of the new messages than expected."""
        counted = state.measure.tokens
        return counted + (self.tokens(state) - counted) / CERTAIN

    def tokens(self, state: State) -> int:
        """About how many there are; without a count of the provider those of the tools are not in it."""
        measure, messages = state.measure, state.context.messages
        if measure.tokens:
            return measure.tokens + tokens_in(sum_of(messages[measure.messages :]))
        if not 0 < self._counted <= len(messages) or messages[self._counted - 1] is not self._last:
            self._counted, self._size = 0, 0
        self._size += sum_of(messages[self._counted :])
        self._counted, self._last = len(messages), messages[-1] if messages else None
        return tokens_in(self._size + bytes_in(state.context.system))


def _size_of_part(part: Content) -> int:
    match part:
        case Image():
            return IMAGE
        case ResourceLink(uri, name):
            return bytes_in(uri) + bytes_in(name)
        case _:
            return bytes_in(part.text)
