"""Hooks that see what a user gives before it is kept: they may refuse it, or add to it."""

from collections.abc import Sequence

from agls.engine.vocabulary import JsonObject, Resource
from agls.features.hooks.agent_hooks import with_agent_hooks
from agls.features.hooks.events import EventHooks
from agls.features.hooks.folder_hooks import found_hooks
from agls.features.hooks.hook import hooks_of
from agls.features.hooks.runner import HookRunner
from agls.features.hooks.session_view import SessionView
from agls.features.hooks.settings import Event, Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room import GivenText, Piece, PromptRefused
from agls.room.hook_ports import HookPorts
from agls.room.offers import Consents
from agls.room.run_ports import HookPoints

REFUSED = "The hook {} refused the prompt, and it is not kept: {}"
EVENT: Event = "UserPromptSubmit"


async def screen(
    settings: Settings,
    given: GivenText,
    ports: HookPorts,
    texts: FolderTexts,
    consents: Consents,
    points: HookPoints,
) -> Sequence[Piece]:
    """Return what the hooks add to a prompt or a message. **Raises** `PromptRefused`."""
    hooks = await session_hooks(EVENT, settings, ports, texts, consents)
    if not hooks.has(EVENT) or not (given.text or given.attached):
        return ()
    attached = [{"uri": each.uri, "text": each.text} for each in given.attached]
    data: JsonObject = {"prompt": given.text, **({"attached": attached} if attached else {})}
    answer = await hooks.answer(EVENT, (), data, SessionView(ports))
    if answer.decision == "deny" or answer.stop:
        raise PromptRefused(REFUSED.format(answer.by or "of this prompt", answer.reason or answer.stop))
    return [Resource(f"hook:{EVENT}", answer.context)] if answer.context else ()


async def session_hooks(
    event: Event, settings: Settings, ports: HookPorts, texts: FolderTexts, consents: Consents
) -> EventHooks:
    """Return the hooks for an event outside of runs: with those consented to as they are now."""
    hooks = EventHooks(hooks_of(settings), HookRunner(ports), consents)
    found = with_agent_hooks(found_hooks(settings, texts), ports.run, settings)
    await hooks.join_given(found.offered, event)
    return hooks
