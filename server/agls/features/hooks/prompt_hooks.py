"""Hooks that see what a user gives before it is kept: they may refuse it, or add to it."""

import asyncio
from collections.abc import Sequence

from agls.engine.vocabulary import JsonObject, Resource
from agls.features.hooks.folder_hooks import found_hooks
from agls.features.hooks.hook import hooks_of
from agls.features.hooks.runner import HookRunner, answer_of
from agls.features.hooks.settings import Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import GivenText, Piece, PromptRefused
from agls.room.hook_ports import HookPorts
from agls.room.offers import Consents, Offer

REFUSED = "The hook {} refused the prompt, and it is not kept: {}"
EVENT = "UserPromptSubmit"


async def screen(
    settings: Settings,
    given: GivenText,
    ports: HookPorts,
    texts: FolderTexts,
    consents: Consents,
) -> Sequence[Piece]:
    """Return what the hooks add to a prompt or a message. **Raises** `PromptRefused`."""
    offered = [each for each in found_hooks(settings, texts).offered if each.hook.matches(EVENT)]
    consented = [each.hook for each in offered if await asyncio.to_thread(_is_given, consents, each.offer)]
    hooks = [*(hook for hook in hooks_of(settings) if hook.matches(EVENT)), *consented]
    if not hooks or not (given.text or given.attached):
        return ()
    runner = HookRunner(ports)
    attached = [{"uri": each.uri, "text": each.text} for each in given.attached]
    data: JsonObject = {"prompt": given.text, **({"attached": attached} if attached else {})}
    answer = answer_of(await runner.ran(hooks, EVENT, data, ports.run.state))
    if answer.decision == "deny" or answer.stop:
        raise PromptRefused(REFUSED.format(answer.by or "of this prompt", answer.reason or answer.stop))
    return [Resource(f"hook:{EVENT}", answer.context)] if answer.context else ()


def _is_given(consents: Consents, offer: Offer) -> bool:
    return consents.look(offer).is_given
