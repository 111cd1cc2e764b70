"""The context size of a loaded model, read from the answers of a server's own API. No I/O."""

from agls.engine.vocabulary import JsonObject
from agls.json_values import object_in, objects_in, text_in

LLAMACPP = "/props"  # the path of each server's own API that is asked
LMSTUDIO = "/api/v0/models"
OLLAMA = "/api/ps"


def llamacpp_context(props: JsonObject) -> int | None:
    """Return the context of each slot of llama.cpp, which serves one model."""
    return token_count(object_in(props.get("default_generation_settings")).get("n_ctx"))


def lmstudio_context(listed: JsonObject, model: str) -> int | None:
    """Return the context that LM Studio loaded the model with; `None` when it is not loaded."""
    entries = objects_in(listed.get("data"))
    return next(
        (token_count(m.get("loaded_context_length")) for m in entries if text_in(m.get("id")) == model), None
    )


def ollama_context(running: JsonObject, model: str) -> int | None:
    """Return the context that Ollama has loaded the model with; `None` when it is not loaded."""
    name = model if ":" in model else f"{model}:latest"
    entries = objects_in(running.get("models"))
    found = (m for m in entries if name in {text_in(m.get("name")), text_in(m.get("model"))})
    return next((token_count(m.get("context_length")) for m in found), None)


def token_count(value: object) -> int | None:
    """Return the value when it is a number of tokens, else `None`."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
