"""The interface of a dialect, and the lookup of dialects by name."""

from collections.abc import Callable, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

from agls.engine.ports import ModelRequest
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.models.dialects.answer import AnswerReader
from agls.models.dialects.counting import CountTokens
from agls.models.endpoint import Endpoint

TOKEN = "eyJ"  # how a token of Microsoft Entra begins; a key of Azure stands in a header of its own


@frozen
class Dialect:
    """One dialect: the URL and the body of a request, and the reader of its answer.

    `key` is the header of the API key and the form of its value. `names` are the keys of the list of
    models: of the list, and of a model's name. `counting` counts tokens by the server, where it can.
    `cuts_silently`: the server drops the beginning of a long request without an error. `writes_calls`: some
    servers leave the calls of weak models in the text. `sampled` are the object that holds the sampling
    parameters ("" for the body itself), and the names of temperature and top_p.
    """

    url: Callable[[Endpoint], str]
    body: Callable[[ModelRequest, Endpoint], JsonObject]
    answer: Callable[[str, Endpoint], AnswerReader]
    listing: Callable[[Endpoint], str]
    names: tuple[str, str] = ("data", "id")
    key: tuple[str, str] = ("Authorization", "Bearer {}")
    headers: Mapping[str, str] | None = None
    counting: CountTokens | None = None
    cuts_silently: bool = False
    writes_calls: bool = False
    sampled: tuple[str, str, str] = ("", "temperature", "top_p")

    def whole_body(self, request: ModelRequest, endpoint: Endpoint) -> JsonObject:
        """Return the body with the user's own settings; the conversation stays last."""
        place, temperature, top_p = self.sampled
        chosen = {
            temperature: endpoint.temperature if request.temperature is None else request.temperature,
            top_p: endpoint.top_p if request.top_p is None else request.top_p,
        }
        sampling = {name: value for name, value in chosen.items() if value is not None}
        own = merged({place: sampling} if place and sampling else sampling, endpoint.extra_body)
        body = self.body(request, endpoint)
        if not own:
            return body
        *settings, (last, conversation) = body.items()
        return {**merged(dict(settings), own), last: conversation}

    def sent_headers(self, endpoint: Endpoint) -> dict[str, str]:
        """Return all headers for this endpoint; the user's own replace ours."""
        header, form = self.key
        key = endpoint.api_key.strip()
        if endpoint.service:
            header, form = "Authorization", "Bearer {}"
        elif endpoint.host.endswith(".azure.com") and form.startswith("Bearer") and not key.startswith(TOKEN):
            header, form = "api-key", "{}"
        ours = {**(self.headers or {}), **({header: form.format(key)} if key else {})}
        theirs = {name.lower() for name in endpoint.headers}
        kept = {name: value for name, value in ours.items() if name.lower() not in theirs}
        return {**kept, **endpoint.headers}


def merged(body: JsonObject, more: Mapping[str, Any]) -> JsonObject:
    """Return the body merged with `more`: objects are merged, other values replaced."""
    joined = dict(body)
    for name, value in more.items():
        known = joined.get(name)
        both = isinstance(known, dict) and isinstance(value, dict)
        joined[name] = merged(cast("JsonObject", known), cast("JsonObject", value)) if both else value
    return joined


def dialect_of(endpoint: Endpoint) -> Dialect:
    """Return the dialect of this endpoint. Only this one is imported."""
    return _dialect(endpoint.dialect)


@cache
def _dialect(name: str) -> Dialect:
    module: Any = import_module(f"agls.models.dialects.{name}")
    return module.DIALECT
