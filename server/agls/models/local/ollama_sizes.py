"""Context sizes for the models of an Ollama server, from its own API.

Ollama gives a model a small context unless a request says otherwise, and cuts off what does not fit,
the definitions of tools first, without a word. So a size is chosen here and sent with every request.
"""

from collections.abc import Sequence

from agls.engine.vocabulary import JsonObject
from agls.json_values import object_in, objects_in, text_in
from agls.models.local.context_sizes import token_count
from agls.models.local.loopback import request_json

ROOM = 16_384  # tokens: enough for instructions, tools and some work, small enough for a usual machine


def choose_context_sizes(port: int, models: Sequence[str], until: float) -> dict[str, int] | None:
    """Return the context size to use for each model; `None` when this is no Ollama. Stops at `until`.

    `until` is in monotonic seconds. A loaded model keeps a larger size; the trained size is the upper limit.
    """
    running = request_json(port, "/api/ps", until)
    if running is None or "models" not in running:
        return None
    loaded = {
        text_in(m.get("name")): token_count(m.get("context_length")) or 0
        for m in objects_in(running["models"])
    }
    sizes: dict[str, int] = {}
    for model in models:
        shown = request_json(port, "/api/show", until, method="POST", body={"model": model})
        if most := _most(object_in((shown or {}).get("model_info"))):
            sizes[model] = min(most, max(ROOM, loaded.get(model, 0)))
    return sizes


def _most(facts: JsonObject) -> int:
    """Return the context size a model was trained for; 0 when it is unknown."""
    key = f"{text_in(facts.get('general.architecture'))}.context_length"
    return token_count(facts.get(key)) or 0
