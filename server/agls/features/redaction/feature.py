"""Wiring of the room `redaction`."""

import asyncio
from dataclasses import replace

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect
from agls.engine.vocabulary import ToolOutcome
from agls.redaction import without_keys
from agls.room import NoSettings
from agls.room.patch_secrets import without_secret_patches
from agls.room.process_ports import HeldKeys
from agls.terminal_codes import coloured_if_same, without_codes

FOREIGN = frozenset({Effect.EXECUTES, Effect.NETWORK})  # of files each character counts: they are edited
QUICK = 65_536  # characters that are looked through sooner than handed to a thread


def build(settings: NoSettings, secrets: HeldKeys) -> Feature:
    """Build the feature; `secrets` returns the keys that are known at the time."""

    def cleaned(text: str) -> str:
        return without_keys(secrets(), text)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        is_foreign = bool(FOREIGN & invocation.tool.spec.effects)
        runs_programs = Effect.EXECUTES in invocation.tool.spec.effects

        def clean(text: str) -> str:
            return cleaned(without_codes(text) if is_foreign else text)  # a code may stand in a key

        def whole(text: str) -> str:
            return without_secret_patches(clean(text)) if runs_programs else clean(text)

        def show(text: str) -> None:
            invocation.context.show(coloured_if_same(text, clean(text)))

        context = replace(invocation.context, show=show)
        outcome = await inner(replace(invocation, context=context))
        changes = tuple(
            replace(change, patch=cleaned(change.patch), cells=cleaned(change.cells))
            for change in outcome.changes
        )
        text = outcome.text
        text = whole(text) if len(text) <= QUICK else await asyncio.to_thread(whole, text)
        return replace(outcome, text=text, changes=changes)

    return Feature(name="redaction", around_tool=around_tool)
