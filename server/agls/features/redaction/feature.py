"""Wiring of the room `redaction`."""

from dataclasses import replace

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import ToolOutcome
from agls.redaction import without
from agls.room import NoSettings
from agls.room.ports import HeldKeys

SHORTEST = 12  # characters: a shorter key is a word like "ollama", which stands in many files


def build(settings: NoSettings, secrets: HeldKeys) -> Feature:
    """Build the feature; `secrets` returns the keys that are known at the time."""

    def cleaned(text: str) -> str:
        return without((secret for secret in secrets() if len(secret) >= SHORTEST), text)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        def show(text: str) -> None:
            invocation.context.show(cleaned(text))

        context = replace(invocation.context, show=show)
        outcome = await inner(replace(invocation, context=context))
        changes = tuple(replace(change, patch=cleaned(change.patch)) for change in outcome.changes)
        return replace(outcome, text=cleaned(outcome.text), changes=changes)

    return Feature(name="redaction", around_tool=around_tool)
