"""The prompt that a command makes for the model, as it stands in a conversation behind what was typed."""

from collections.abc import Sequence

from agls.engine.actions import RAW, ActionContext, ActionPrompt, ActionSpec, ActionValue
from agls.engine.vocabulary import JsonObject, Resource

COMMAND_URI = "agls:command/"  # then the name of the command
INTRODUCTION = "The user gave the command /{}. Do what follows.\n\n"


def command_prompt(
    name: str, text: str, *, typed: str = "", options: JsonObject | None = None
) -> ActionPrompt:
    """**Returns** the prompt with this text; `typed` and `options` are as in `ActionPrompt`."""
    resource = Resource(f"{COMMAND_URI}{name}", INTRODUCTION.format(name) + text)
    return ActionPrompt((resource,), typed, options or {})


class WordsCommand:
    """The part that commands have in common which take the words behind their name as they are typed."""

    __slots__ = ()

    async def values(self, member: str, context: ActionContext) -> Sequence[ActionValue]:
        """Return nothing: the words are free."""
        return ()


def words_spec(
    names: Sequence[str], title: str, description: str, group: str, *, hint: str = ""
) -> ActionSpec:
    """**Returns** such a command under the first of these names; the others are its aliases."""
    member = {"type": "string", "format": RAW, "description": hint or "[words]"}
    schema = {"type": "object", "properties": {"arguments": member}, "additionalProperties": False}
    return ActionSpec(
        names[0], title, description, schema, aliases=tuple(names[1:]), group=group, prompts=True
    )
