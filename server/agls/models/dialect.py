"""How one family of model servers is spoken to, and which families there are."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.models.answer import Answer
from agls.models.counting import Counting
from agls.models.endpoint import Endpoint

FILES = {
    "chat": "chat_completions",
    "responses": "responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "ollama": "ollama",
}


@frozen
class Dialect:
    """One dialect: where a question goes, what it holds, how the answer is read.

    `key` is the header that carries the API key and how it stands there. `names` are the keys under
    which the server's list of models holds the list and a model's name. `counting` is how the server
    counts tokens, where it does; `cuts_silently`, that it drops what does not fit without a word;
    `writes_calls`, that there are servers of it which leave the calls of weak models in the text.
    """

    url: Callable[[Endpoint], str]
    body: Callable[[ModelRequest, Endpoint], JsonObject]
    answer: Callable[[str, Endpoint], Answer]
    listing: Callable[[Endpoint], str]
    names: tuple[str, str] = ("data", "id")
    key: tuple[str, str] = ("Authorization", "Bearer {}")
    headers: Mapping[str, str] | None = None
    counting: Counting | None = None
    cuts_silently: bool = False
    writes_calls: bool = False

    def sent_headers(self, endpoint: Endpoint) -> dict[str, str]:
        """All headers for this endpoint: the user's own replace ours."""
        header, form = self.key
        key = endpoint.api_key.strip()
        ours = {**(self.headers or {}), **({header: form.format(key)} if key else {})}
        theirs = {name.lower() for name in endpoint.headers}
        kept = {name: value for name, value in ours.items() if name.lower() not in theirs}
        return {**kept, **endpoint.headers}


def dialect_of(endpoint: Endpoint) -> Dialect:
    """The dialect of this endpoint; only the one that is spoken is loaded."""
    module: Any = import_module(f"agls.models.{FILES[endpoint.dialect]}")
    return module.DIALECT
