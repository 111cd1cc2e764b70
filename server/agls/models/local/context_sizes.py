"""How much context a server gives a model, as its own API says. Pure: answers in, tokens out."""

from agls.engine.vocabulary import JsonObject
from agls.models.values import object_in, objects_in, text_in

LLAMACPP = "/props"  # the path of each server's own API that is asked
LMSTUDIO = "/api/v0/models"
OLLAMA = "/api/ps"


def llamacpp_context(props: JsonObject) -> int | None:
    """What each of its slots has; it serves one model."""
    return token_count(object_in(props.get("default_generation_settings")).get("n_ctx"))


def lmstudio_context(listed: JsonObject, model: str) -> int | None:
    """What the model was loaded with; nothing is certain of one that is not loaded."""
    entries = objects_in(listed.get("data"))
    return next(
        (token_count(m.get("loaded_context_length")) for m in entries if text_in(m.get("id")) == model), None
    )


def ollama_context(running: JsonObject, model: str) -> int | None:
    """What the model is loaded with just now."""
    name = model if ":" in model else f"{model}:latest"
    entries = objects_in(running.get("models"))
    found = (m for m in entries if name in {text_in(m.get("name")), text_in(m.get("model"))})
    return next((token_count(m.get("context_length")) for m in found), None)


def token_count(value: object) -> int | None:
    """The number of tokens; `None` when it is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else None
