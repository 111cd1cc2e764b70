"""Finds model servers on this machine at their usual ports.

It uses plain sockets in threads: there is no proxy to this machine, and loading the HTTP library would take
longer than the whole search.
"""

import asyncio
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PureWindowsPath
from threading import Thread

from agls.frozen import frozen
from agls.json_values import objects_in, text_in
from agls.models.endpoint import LOCAL_KINDS, DialectName, Endpoint
from agls.models.local.context_sizes import (
    LLAMACPP,
    LMSTUDIO,
    llamacpp_context,
    lmstudio_context,
    token_count,
)
from agls.models.local.loopback import request_json
from agls.models.local.ollama_sizes import choose_context_sizes

PORTS = tuple(zip(LOCAL_KINDS, (11434, 1234, 8080, 8000), strict=True))
OWNERS = {"llamacpp": "llamacpp", "vllm": "vllm", "library": "ollama"}  # as `owned_by` says
TIMEOUT = 2.0  # seconds for all of it; where nobody listens none is spent


@frozen
class LocalServer:
    """A server that was found, with its models.

    `windows` are their context sizes in tokens: those that the server reports, or, for Ollama, those that
    every request will ask for.
    """

    kind: str
    base_url: str
    models: tuple[str, ...]
    windows: tuple[int | None, ...]
    dialect: DialectName = "chat"

    def endpoints(self) -> tuple[Endpoint, ...]:
        """Return its models as endpoints, named `kind/model` (for a path, its file name alone)."""
        short = tuple(map(_short, self.models))
        names = short if len(set(short)) == len(short) else self.models
        return tuple(
            Endpoint(
                name=f"{self.kind}/{name}",
                model=model,
                base_url=self.base_url,
                address_place="",
                dialect=self.dialect,
                context_window=window,
            )
            for name, model, window in zip(names, self.models, self.windows, strict=True)
        )


def _short(model: str) -> str:
    """Return the short name of a model; of a path (llama.cpp, vLLM), the file name."""
    path = PureWindowsPath(model)  # it knows both slashes
    is_file = path.suffix == ".gguf" or path.is_absolute() or model.startswith("/")
    return path.name.removesuffix(".gguf") if is_file else model


async def find_local_servers(
    ports: Sequence[tuple[str, int]] = PORTS, time_limit: float = TIMEOUT
) -> list[LocalServer]:
    """Return the servers that answer within `time_limit` seconds, in the order of `ports`."""
    return await asyncio.to_thread(_ask_all, ports, time_limit)


def _ask_all(ports: Sequence[tuple[str, int]], time_limit: float) -> list[LocalServer]:
    found: dict[int, LocalServer] = {}

    def ask(place: int, kind: str, port: int) -> None:
        if server := _ask(kind, port, until):
            found[place] = server  # before more is asked: what comes too late is left out
            found[place] = _with_sizes(server, port, until)

    until = time.monotonic() + time_limit
    threads = [Thread(target=ask, args=(n, *port), daemon=True) for n, port in enumerate(ports)]
    for thread in threads:
        thread.start()
    for thread in threads:  # one that is left behind does not keep the process from ending
        thread.join(max(0.0, until - time.monotonic()))
    return [server for _, server in sorted(found.copy().items())]


def _ask(kind: str, port: int, until: float) -> LocalServer | None:
    listed = objects_in((request_json(port, "/v1/models", until) or {}).get("data"))
    chat = [model for model in listed if (name := text_in(model.get("id"))) and "embed" not in name]
    if not chat:
        return None  # nobody there, or somebody else
    owner = OWNERS.get(text_in(chat[0].get("owned_by")), kind)
    windows = (token_count(model.get("max_model_len")) for model in chat)
    return LocalServer(owner, f"http://127.0.0.1:{port}/v1", tuple(m["id"] for m in chat), tuple(windows))


def _with_sizes(server: LocalServer, port: int, until: float) -> LocalServer:
    """Return the server with the context sizes of its own API."""
    match server.kind:
        case "ollama":
            sizes = choose_context_sizes(port, server.models, until)
            dialect: DialectName = "chat" if sizes is None else "ollama"
            return replace(server, dialect=dialect, windows=tuple(map((sizes or {}).get, server.models)))
        case "llamacpp":
            props = request_json(port, LLAMACPP, until) or {}
            return replace(server, windows=(llamacpp_context(props),) * len(server.models))
        case "lmstudio":
            loaded = request_json(port, LMSTUDIO, until) or {}
            return replace(server, windows=tuple(lmstudio_context(loaded, model) for model in server.models))
        case _:
            return server
