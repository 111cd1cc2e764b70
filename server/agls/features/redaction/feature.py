"""Wiring of the room `redaction`."""

import asyncio
from dataclasses import replace

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import ToolOutcome
from agls.redaction import without
from agls.room import NoSettings
from agls.room.process_ports import HeldKeys

SHORTEST = 12  # characters: a shorter key is a word like "ollama", which stands in many files

QUICK = 65_536  # characters that are looked through sooner than handed to a thread


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
        text = outcome.text
        clean = cleaned(text) if len(text) <= QUICK else await asyncio.to_thread(cleaned, text)
        return replace(outcome, text=clean, changes=changes)

    return Feature(name="redaction", around_tool=around_tool)
