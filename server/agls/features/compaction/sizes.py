"""How large messages are, without asking anybody: bytes, and about how many tokens they make."""

from collections.abc import Iterable, Iterator, Sequence

from agls.engine.ports import ModelClient
from agls.engine.prefix_fold import PrefixFold
from agls.engine.state import State
from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    Image,
    Message,
    ResourceLink,
    Text,
    ToolResult,
    UserMessage,
)
from agls.frozen import frozen

PER_TOKEN = 3.6  # bytes
IMAGE = 4_320  # bytes that are as many tokens as an image
EACH = 16  # bytes around a message
CERTAIN = 1.5  # how far a guess may be above what the model counts
LARGEST_TOKEN = (
    20.0  # characters of one on average: a server that says it read more per token left out a part
)


def tokens_in(size: float, per_token: float = PER_TOKEN) -> int:
    """About how many tokens so many bytes are."""
    return round(size / per_token)


def bytes_in(text: str) -> int:
    """Return the bytes of a text."""
    return len(text) if text.isascii() else len(text.encode(errors="replace"))


def fitting(texts: Sequence[str], room: float) -> Sequence[str]:
    """Return the texts from the first on that fit into so many bytes."""
    taken: list[str] = []
    for text in texts:
        room -= bytes_in(text)
        if room < 0:
            break
        taken.append(text)
    return taken


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


@frozen
class CountedContext:
    """About how many `tokens` a context has, and how many at `least`."""

    tokens: int
    least: float


class Ruler:
    """The tokens of a growing context: what the last reply was counted at, and what is new.

    That is counted by the model's tokenizer where there is one on this machine; else it is estimated.
    """

    def __init__(self) -> None:
        self._counted, self._size = 0, 0
        self._last: Message | None = None

    async def size(self, state: State, client: ModelClient | None) -> CountedContext:
        """Return the size; without a count of the provider the tools' tokens are not in it."""
        measure, messages = state.measure, state.context.messages
        new = messages[measure.messages :] if measure.tokens else messages
        system = () if measure.tokens else (state.context.system,)
        if client and (told := await tokens_by_tokenizer(client, new, system)):
            return CountedContext(measure.tokens + told.tokens, measure.tokens + told.least)
        tokens = self._estimated(state)
        return CountedContext(tokens, measure.tokens + (tokens - measure.tokens) / CERTAIN)

    def _estimated(self, state: State) -> int:
        measure, messages = state.measure, state.context.messages
        if measure.tokens:
            return measure.tokens + tokens_in(sum_of(messages[measure.messages :]))
        if not 0 < self._counted <= len(messages) or messages[self._counted - 1] is not self._last:
            self._counted, self._size = 0, 0
        self._size += sum_of(messages[self._counted :])
        self._counted, self._last = len(messages), messages[-1] if messages else None
        return tokens_in(self._size + bytes_in(state.context.system))


def believed(state: State) -> State:
    """Return the state with an estimate in the place of a measure that cannot be.

    Some servers count only what was not in their cache, or report a constant.
    """
    measure = state.measure
    sent, asked = _sent.of(state.context.messages[: measure.messages])
    if sent <= measure.tokens * LARGEST_TOKEN:
        return state
    return state._replace(measure=measure._replace(tokens=tokens_in(sent + asked)))


def _with_characters(before: tuple[int, int], messages: Sequence[Message]) -> tuple[int, int]:
    """Add the characters of the texts, and those of the arguments of calls."""
    given = [
        part.text
        for m in messages
        if isinstance(m, UserMessage)
        for part in m.content
        if isinstance(part, Text)
    ]
    said = [len(m.text) for m in messages if not isinstance(m, UserMessage)]
    calls = [call for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
    return before[0] + sum(map(len, given)) + sum(said), before[1] + sum(
        [len(str(c.arguments)) for c in calls]
    )


_sent = PrefixFold(lambda: (0, 0), _with_characters)


async def size_of_messages(
    messages: Sequence[Message], system: str, client: ModelClient | None
) -> CountedContext:
    """Return the tokens of some messages and a system prompt, counted where that can be done."""
    if client and (told := await tokens_by_tokenizer(client, messages, (system,))):
        return told
    tokens = tokens_in(sum_of(messages) + bytes_in(system))
    return CountedContext(tokens, tokens / CERTAIN)


async def tokens_by_tokenizer(
    client: ModelClient, messages: Sequence[Message], texts: Sequence[str] = ()
) -> CountedContext | None:
    """Return what a tokenizer on this machine counts; `None` without one. Images are estimated."""
    counted = await client.tokens_of([*texts, *(text for each in messages for text in _texts(each))])
    if counted is None:
        return None
    images = tokens_in(IMAGE * sum(map(_images, messages)))
    return CountedContext(counted + images, counted + images / CERTAIN)


async def bytes_of_a_token(messages: Sequence[Message], client: ModelClient | None) -> float:
    """Return how many bytes of these messages make a token."""
    told = await tokens_by_tokenizer(client, messages) if client else None
    return max(sum_of(messages), 1) / told.tokens if told and told.tokens else PER_TOKEN


def _size_of_part(part: Content) -> int:
    match part:
        case Image():
            return IMAGE
        case ResourceLink(uri, name):
            return bytes_in(uri) + bytes_in(name)
        case _:
            return bytes_in(part.text)


def _texts(message: Message) -> Iterator[str]:
    match message:
        case UserMessage(_, content):
            for part in content:
                match part:
                    case Image():
                        pass
                    case ResourceLink(uri, name):
                        yield f"{uri} {name}"
                    case _:
                        yield part.text
        case AssistantMessage(_, text, thinking, calls):
            yield from (text, thinking)
            yield from (f"{call.name} {call.arguments}" for call in calls)
        case _:
            yield message.text


def _images(message: Message) -> int:
    match message:
        case UserMessage(_, content):
            return sum(isinstance(part, Image) for part in content)
        case AssistantMessage():
            return 0
        case _:
            return len(message.images)
