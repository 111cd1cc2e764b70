"""How much context the models of an Ollama server can have, asked of its own API.

Ollama gives a model a small context unless a request says otherwise, and cuts off what does not fit,
the definitions of tools first, without a word. So a size is chosen here and sent with every request.
"""

import json
import time
from collections.abc import Sequence
from http.client import HTTPConnection, HTTPException
from typing import Any, cast

from aglet.engine.vocabulary import JsonObject
from aglet.models.values import object_in, objects_in, text_in

ROOM = 16_384  # tokens: enough for instructions, tools and some work, small enough for a usual machine
LARGEST = 10_000_000  # bytes of an answer (`/api/show` lists every part of a model)


def ollama_sizes(port: int, models: Sequence[str], until: float) -> dict[str, int] | None:
    """Tokens of context to use, by model; `None` when this is no Ollama. Stops at `until` (monotonic).

    A model that is loaded with more keeps what it has; none gets more than it was trained for.
    """
    running = _asked(port, "GET", "/api/ps", None, until)
    if running is None or "models" not in running:
        return None
    loaded = {text_in(m.get("name")): _count(m.get("context_length")) for m in objects_in(running["models"])}
    sizes: dict[str, int] = {}
    for model in models:
        shown = _asked(port, "POST", "/api/show", {"model": model}, until)
        if most := _most(object_in((shown or {}).get("model_info"))):
            sizes[model] = min(most, max(ROOM, loaded.get(model, 0)))
    return sizes


def _most(facts: JsonObject) -> int:
    """The context a model was trained for; 0 when it is not told."""
    key = f"{text_in(facts.get('general.architecture'))}.context_length"
    return _count(facts.get(key))


def _count(value: object) -> int:
    return value if isinstance(value, int) and value > 0 else 0


def _asked(port: int, method: str, path: str, body: JsonObject | None, until: float) -> JsonObject | None:
    left = until - time.monotonic()
    if left <= 0:
        return None
    connection = HTTPConnection("127.0.0.1", port, timeout=left)
    try:
        connection.request(method, path, json.dumps(body) if body else None)
        answer = connection.getresponse()
        value: Any = json.loads(answer.read(LARGEST)) if answer.status == 200 else None
    except (OSError, HTTPException, ValueError, RecursionError):
        return None
    finally:
        connection.close()
    return cast("JsonObject", value) if isinstance(value, dict) else None
