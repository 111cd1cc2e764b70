"""The prompt that a command makes for the model, as it stands in a conversation behind what was typed."""

from agls.engine.actions import ActionPrompt
from agls.engine.vocabulary import JsonObject, Resource

COMMAND_URI = "agls:command/"  # then the name of the command
INTRODUCTION = "The user gave the command /{}. Do what follows.\n\n"


def command_prompt(
    name: str, text: str, *, typed: str = "", options: JsonObject | None = None
) -> ActionPrompt:
    """**Returns** the prompt with this text; `typed` and `options` are as in `ActionPrompt`."""
    resource = Resource(f"{COMMAND_URI}{name}", INTRODUCTION.format(name) + text)
    return ActionPrompt((resource,), typed, options or {})
