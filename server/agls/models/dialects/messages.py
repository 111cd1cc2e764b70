"""The parts of a conversation that all dialects write the same way."""

import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import Any

from agls.engine.vocabulary import (
    AssistantMessage,
    Content,
    Image,
    JsonObject,
    Message,
    Resource,
    Text,
    ToolResult,
    UserMessage,
)
from agls.models.unicode import valid_unicode
from agls.terminal_codes import mark_name

STOPPED = "[The user stopped this answer here.]"
NOTHING = "(empty)"
CONVERSATIONS = 16  # of which is known how they were sent
UserSide = UserMessage | ToolResult
Turn = AssistantMessage | list[UserSide]
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


class EncodedList(list[JsonObject]):
    """A list with its JSON, made of that of its parts. Do not change it."""

    def __init__(self, values: Iterable[JsonObject], *parts: bytes | bytearray) -> None:
        super().__init__(values)
        separated = [piece for part in parts if part for piece in (b",", part)]
        self.json = b"".join((b"[", *separated[1:], b"]"))


class ListEncoder:
    """Encodes a list of things, and reuses the result while they stay the same."""

    def __init__(self, write: Callable[[Any], JsonObject]) -> None:
        self._write = write
        self._things: Sequence[object] = ()
        self._listed = EncodedList(())

    def listed(self, things: Sequence[object]) -> EncodedList:
        """Return the encoded list of the things."""
        if things != self._things:
            sent = [self._write(thing) for thing in things]
            self._things, self._listed = things, EncodedList(sent, _members(sent))
        return self._listed


class ConversationEncoder:
    """Encodes conversations, and reuses the encoded beginning of each."""

    def __init__(self, write: Callable[[Turn, Any], list[JsonObject]]) -> None:
        self._write = write
        self._known: OrderedDict[Hashable, tuple[tuple[Message, ...], list[JsonObject], bytearray]]
        self._known = OrderedDict()

    def conversation(
        self, messages: Sequence[Message], session_id: str, manner: Hashable, head: Sequence[JsonObject] = ()
    ) -> EncodedList:
        """Return all turns in this style, behind the `head`."""
        key = session_id, manner
        begun, sent, written = self._known.pop(key, ((), [], bytearray()))
        if tuple(messages[: len(begun)]) != begun:
            begun = ()
            sent, written = [], bytearray()
        rest = messages[len(begun) :]
        ends = [index for index, message in enumerate(rest, 1) if _ends_a_turn(message)]
        closed = rest[: ends[-1]] if ends else ()
        if closed:
            more = list(self._written(closed, manner))
            sent += more
            written += (b"," if written and more else b"") + _members(more)
        self._known[key] = (*begun, *closed), sent, written
        if len(self._known) > CONVERSATIONS:
            self._known.popitem(last=False)
        last = list(self._written(rest[len(closed) :], manner))
        return EncodedList([*head, *sent, *last], _members(head), written, _members(last))

    def _written(self, messages: Sequence[Message], manner: Hashable) -> Iterator[JsonObject]:
        for turn in turns(messages):
            yield from self._write(turn, manner)


def turns(messages: Sequence[Message]) -> Iterator[Turn]:
    """Yield the turns of a conversation: each answer alone, and the messages between two of them.

    Answers without text and calls are left out, because servers refuse them.
    """
    between: list[UserSide] = []
    for message in messages:
        if not isinstance(message, AssistantMessage):
            between.append(message)
        elif not _says_nothing(message):
            if between:
                yield between
                between = []
            yield message
    if between:
        yield between


def contents_of(messages: Iterable[UserSide]) -> list[Content]:
    """Return the content of the user's messages among them; a placeholder when it is blank."""
    users = [message for message in messages if isinstance(message, UserMessage)]
    parts = [part for message in users for part in message.content]
    parts_with_text = [part for part in parts if isinstance(part, Image) or as_text(part).strip()]
    return parts_with_text or [Text(NOTHING)] * bool(users)


def images_of_results(messages: Iterable[UserSide]) -> list[Content]:
    """Return the images of the results among them, for APIs that take none in results."""
    parts: list[Content] = []
    for result in results_of(messages):
        if result.images:
            parts += [Text(f"What the result of {result.name} shows:"), *result.images]
    return parts


def results_of(messages: Iterable[UserSide]) -> list[ToolResult]:
    """Return the results among them."""
    return [message for message in messages if isinstance(message, ToolResult)]


def text_of(message: AssistantMessage) -> str:
    """Return the text of an answer, with a note when the user stopped it."""
    return f"{message.text}\n\n{STOPPED}" if message.cut else message.text


def as_text(part: Content) -> str:
    """Return content as text, "" for an image."""
    match part:
        case Text():
            return part.text
        case Resource():
            tag = _attachment_tag(part.text)
            return f'<{tag} uri="{part.uri}">\n{part.text}\n</{tag}>'
        case Image():
            return ""
        case _:
            return f'<attachment uri="{part.uri}" name="{part.name}"/>'


def _attachment_tag(text: str) -> str:
    """Return the name of the marks around a text: one that it cannot end."""
    return f"attachment-{mark_name(text)}" if "</attachment" in text else "attachment"


def compact_json(value: object) -> str:
    """Return JSON without spaces; the same text for the same value."""
    return _encode(value)


def encode_body(body: JsonObject) -> bytes:
    """Return the bytes of a request's body, encoded lists last and not encoded again."""
    plain = {name: value for name, value in body.items() if not isinstance(value, EncodedList)}
    known = [(name, value.json) for name, value in body.items() if isinstance(value, EncodedList)]
    parts = [part for name, encoded in known for part in (f',"{name}":'.encode(), encoded)]
    return b"".join((_as_bytes(_encode(plain)[:-1]), *parts, b"}"))


def _members(values: Iterable[JsonObject]) -> bytes:
    """Return the JSON of the members of a list, as it stands between its brackets."""
    return _as_bytes(",".join(map(_encode, values)))


def _as_bytes(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError:  # halves of characters, as they came
        return valid_unicode(text).encode()


def _ends_a_turn(message: Message) -> bool:
    """Return whether no later message is merged with one before this."""
    return isinstance(message, AssistantMessage) and not _says_nothing(message)


def _says_nothing(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and not message.text.strip() and not message.tool_calls
