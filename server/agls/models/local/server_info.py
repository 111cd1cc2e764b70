"""The kind of a model server, and the context it really gives a model, from its own API."""

import asyncio
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.json_values import objects_in, text_in
from agls.models.catalog.bundled import is_provider
from agls.models.catalog.listing import fetch_json, list_models
from agls.models.dialects.ollama import root
from agls.models.endpoint import Endpoint
from agls.models.errors import Failure
from agls.models.http.connections import Connections
from agls.models.local.context_sizes import (
    LLAMACPP,
    LMSTUDIO,
    OLLAMA,
    llamacpp_context,
    lmstudio_context,
    ollama_context,
)
from agls.models.prices import Prices

ServerKind = Literal["ollama", "llamacpp", "lmstudio", "vllm", ""]
QUICK = 3.0  # seconds for one question
SOON = 1.0  # seconds that an answer may be held up for all of them
ASKED: Mapping[ServerKind, tuple[str, str, Callable[[JsonObject, str], int | None]]] = {
    "ollama": (OLLAMA, "models", ollama_context),
    "llamacpp": (LLAMACPP, "default_generation_settings", lambda props, _: llamacpp_context(props)),
    "lmstudio": (LMSTUDIO, "data", lmstudio_context),
}  # where, by which key of the answer it is known, and how the size is read
LMSTUDIO_SAYS = frozenset({"state", "loaded_context_length", "compatibility_type"})
MORE_CONTEXT: Mapping[ServerKind, str] = {
    "ollama": "Start Ollama with OLLAMA_CONTEXT_LENGTH={size} in its environment, or let agls ask for it "
    "with every request (num_ctx): {setting}",
    "llamacpp": "Start llama-server with --ctx-size {size}, times the slots of --parallel.",
    "lmstudio": "Load the model with a context length of {size}: lms load {model} --context-length {size}.",
    "vllm": "Start vLLM with --max-model-len {size}.",
    "": "Raise the context length of the server to {size}, or choose a model that has it.",
}
TOOLS: Mapping[ServerKind, str] = {
    "ollama": "Choose a model with the capability tools: ollama show {model} lists what it has.",
    "llamacpp": "Start llama-server with --jinja, and a model whose template knows tools.",
    "lmstudio": "Choose a model that LM Studio shows as trained for tool use.",
    "vllm": "Start vLLM with --enable-auto-tool-choice and the --tool-call-parser of this model.",
    "": "Choose a model that can use tools, or switch tool calling on in the server.",
}


@frozen
class ServerInfo:
    """The kind of a server ("" is unknown), and the context of the requested model (`None` is unknown)."""

    kind: ServerKind = ""
    window: int | None = None

    def more_context(self, endpoint: Endpoint, size: int) -> str:
        """Return the setting that gives a model so many tokens."""
        setting = endpoint.setting('dialect = "ollama"', f"context_window = {size}")
        return MORE_CONTEXT[self.kind].format(setting=setting, model=endpoint.model, size=size)

    def tools(self, endpoint: Endpoint) -> str:
        """Return the setting that lets a model call tools."""
        return TOOLS[self.kind].format(model=endpoint.model)


UNKNOWN_SERVER = ServerInfo()


async def identify_server(endpoint: Endpoint, connections: Connections) -> ServerInfo:
    """Identify the server of this model. A provider's own service gets no request: it has no such API."""
    if is_provider(endpoint):
        return UNKNOWN_SERVER
    for kind, (path, key, read) in ASKED.items():
        answer = await fetch_json(f"{root(endpoint)}{path}", endpoint, connections, QUICK)
        if not isinstance(answer, Failure) and key in answer and (kind != "lmstudio" or _is_own(answer)):
            return ServerInfo(kind, read(answer, endpoint.model))
    listed = await fetch_json(endpoint.at("/models"), endpoint, connections, QUICK)
    models = [] if isinstance(listed, Failure) else objects_in(listed.get("data"))
    return ServerInfo("vllm" if any(text_in(m.get("owned_by")) == "vllm" for m in models) else "")


def _is_own(listed: JsonObject) -> bool:
    """Return whether this list is LM Studio's own: others have `data` as well, but not what it says."""
    return any(LMSTUDIO_SAYS & model.keys() for model in objects_in(listed.get("data")))


async def with_server_figures(endpoint: Endpoint, connections: Connections) -> Endpoint:
    """Return the endpoint with the server's context size and prices where they are not configured.

    A provider's own service gets no request: its figures are in the bundled list. Never raises.
    """
    if is_provider(endpoint) or endpoint.service:
        return endpoint
    with suppress(TimeoutError):
        async with asyncio.timeout(SOON):
            listing = await list_models(endpoint, connections, SOON)
            listed = listing.figures_of(endpoint.model)
            window = (await identify_server(endpoint, connections)).window or listed.get("context_window")
            prices = endpoint.prices
            if prices == Prices():
                price, cost = listed.get("input_price"), listed.get("output_price")
                prices = Prices(price, cost, listed.get("cache_read_price"), listed.get("cache_write_price"))
            return replace(endpoint, context_window=int(window) if window else None, prices=prices)
    return endpoint
