"""A tokenizer on this machine: a file that the user names. Nothing is downloaded."""

import json
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import AssistantMessage, Image, Message, Resource, Text, TokenCount, UserMessage
from agls.models.dialects.counting import IMAGE, LEAST

AROUND = 4  # tokens that a server puts around a message, about, before its first answer says so
REMEMBERED = 4_096  # texts
ABSENT = "the package tokenizers is not installed: pip install 'agls[tokenizer]'"
UNUSED = "{} is not used: {}"


class LocalTokenizer:
    """Counts the tokens of requests with a `tokenizer.json`.

    The texts are counted exactly. What a server writes around them is learned from its answers.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._scale = 1.0
        self._last: tuple[ModelRequest, int] | None = None
        self._tokens = lru_cache(maxsize=REMEMBERED)(self._count_text)

    def learn(self, request: ModelRequest, reported: int | None) -> None:
        """Remember how many tokens the server counted in a request."""
        if reported and reported >= LEAST:
            self._last = request, reported

    def count(self, request: ModelRequest) -> TokenCount:
        """Return the tokens of a request. **Raises** `ValueError` when the file cannot be used, and why."""
        if self._last:
            asked, reported = self._last
            self._scale = reported / max(self._measured(asked), 1)
            self._last = None
        return TokenCount(round(self._measured(request) * self._scale), "tokenizer", self._path)

    def tokens_of(self, texts: Sequence[str]) -> int:
        """Return the tokens of these texts. **Raises** `ValueError` when the file cannot be used, and why."""
        return sum(map(self._tokens, texts))

    def _measured(self, request: ModelRequest) -> int:
        tokens = self._tokens(request.system) + AROUND
        for tool in request.tools:
            tokens += self._tokens(f"{tool.name} {tool.description} {json.dumps(tool.schema)}") + AROUND
        for message in request.messages:
            tokens += sum(map(self._tokens, _texts(message))) + IMAGE * _images(message) + AROUND
        return tokens

    def _count_text(self, text: str) -> int:
        return len(self._loaded.encode(text, add_special_tokens=False).ids)

    @cached_property
    def _loaded(self) -> Any:
        try:
            return import_module("tokenizers").Tokenizer.from_file(self._path)
        except ImportError:
            raise ValueError(UNUSED.format(self._path, ABSENT)) from None
        except Exception as problem:  # the package raises nothing more exact
            raise ValueError(UNUSED.format(self._path, problem)) from problem


def _texts(message: Message) -> Iterator[str]:
    match message:
        case UserMessage():
            yield from (part.text for part in message.content if isinstance(part, Text | Resource))
        case AssistantMessage():
            yield from (message.text, message.thinking)
            yield from (f"{call.name} {json.dumps(call.arguments)}" for call in message.tool_calls)
        case _:
            yield message.text


def _images(message: Message) -> int:
    match message:
        case UserMessage():
            return sum(isinstance(part, Image) for part in message.content)
        case AssistantMessage():
            return 0
        case _:
            return len(message.images)
