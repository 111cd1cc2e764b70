"""A server's own list of its models: the cheapest request that shows whether the server can be reached."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import field, replace
from typing import cast

import httpx

from agls.engine.facts import Overflowed
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import object_in, objects_in, text_in
from agls.models.catalog.model_info import listed_figures
from agls.models.dialects.dialect import dialect_of
from agls.models.endpoint import Endpoint
from agls.models.errors import CallFailed, Failure, failure_of, malformed, redirected, web_page
from agls.models.http.connections import Connections
from agls.models.signing import signed_request

PATIENCE = 10.0  # seconds
LARGEST = 10_000_000  # bytes; routers list hundreds of models


@frozen
class ModelList:
    """The models by name, with the figures that the server lists for each; or the failure to list them.

    `whole` is false when there are more pages. `failure` is `None` when the server answered.
    """

    models: Mapping[str, Mapping[str, float]] = field(default_factory=dict[str, Mapping[str, float]])
    whole: bool = True
    failure: Failure | None = None

    def has(self, model: str) -> bool | None:
        """Return whether the server has this model; `None` when that is unknown."""
        if self.failure:
            return None
        known = model.removeprefix("models/") in self.models or f"{model}:latest" in self.models
        return known or (False if self.whole and self.models else None)

    def figures_of(self, model: str) -> Mapping[str, float]:
        """Return the figures that the server lists for this model."""
        return self.models.get(model.removeprefix("models/"), {})


async def list_models(endpoint: Endpoint, connections: Connections, seconds: float = PATIENCE) -> ModelList:
    """Request the list from the server of this endpoint. Never raises; see `ModelList.failure`."""
    dialect = dialect_of(endpoint)
    answer = await fetch_json(dialect.listing(endpoint), endpoint, connections, seconds)
    if isinstance(answer, Failure):
        return ModelList(failure=answer)
    items, name = dialect.names
    models = {
        text_in(entry.get(name)).removeprefix("models/"): listed_figures(entry)
        for entry in objects_in(answer.get(items))
        if text_in(entry.get(name))
    }
    return ModelList(models, whole=not (answer.get("has_more") or answer.get("nextPageToken")))


async def fetch_json(
    url: str,
    endpoint: Endpoint,
    connections: Connections,
    seconds: float = PATIENCE,
    content: bytes | None = None,
) -> JsonObject | Failure:
    """Return the JSON object at a URL, requested with the endpoint's key and headers; or the failure.

    With `content` the request is a POST. `seconds` bounds the whole request.
    """
    until = asyncio.get_running_loop().time() + seconds
    hasty = replace(endpoint, idle_timeout=min(endpoint.idle_timeout, seconds))
    method = "GET" if content is None else "POST"
    try:
        async with asyncio.timeout_at(until):
            sent = await signed_request(hasty, method, url, content, until)
            async with connections.ask(hasty, sent) as response:
                if response.status_code >= 300:
                    return await _refused(response, hasty)
                text = await _text(response)
    except CallFailed as error:
        return _silent(hasty, seconds) if error.failure.kind == "timeout" else error.failure
    except TimeoutError:
        return _silent(hasty, seconds)
    try:
        return object_in(json.loads(text))
    except (ValueError, RecursionError):
        page = text.lstrip().startswith("<")
        return web_page(endpoint) if page else malformed(endpoint, "sent no JSON")


async def _refused(response: httpx.Response, endpoint: Endpoint) -> Failure:
    status = response.status_code
    if status < 400:
        return redirected(response.headers.get("location", ""), status, endpoint)
    failure = failure_of(status, response.headers, await _text(response), endpoint)
    if isinstance(failure, Overflowed):
        return malformed(endpoint, "says that a request for its list of models is too long")
    return failure


async def _text(response: httpx.Response) -> str:
    data = b""
    async with aclosing(cast("AsyncGenerator[bytes, None]", response.aiter_bytes())) as chunks:
        async for chunk in chunks:
            data += chunk
            if len(data) > LARGEST:
                break
    return data.decode(errors="replace")


def _silent(endpoint: Endpoint, seconds: float) -> Failure:
    message = f"{endpoint.address} did not answer within {seconds:g} seconds."
    return Failure("timeout", message, "Is the server busy or stuck? Look at its log, or start it again.")
