"""Hooks that see the end of a session."""

import asyncio
from contextlib import suppress

from agls.features.hooks.prompt_hooks import session_hooks
from agls.features.hooks.run_hooks import has_begun_here
from agls.features.hooks.session_view import SessionView
from agls.features.hooks.settings import Event, Settings
from agls.instruction_files.folder_texts import FolderTexts
from agls.room.hook_ports import HookPorts
from agls.room.offers import Consents
from agls.room.run_ports import HookPoints

EVENT: Event = "SessionEnd"
MOST_S = 3.0  # seconds that an end waits for its hooks
OTHER = "other"  # the reason that hooks of other products know for ours


async def at_end(
    settings: Settings,
    reason: str,
    ports: HookPorts,
    texts: FolderTexts,
    consents: Consents,
    points: HookPoints,
) -> None:
    """Let the hooks see the end of a session whose beginning they saw in this process."""
    if not has_begun_here(ports.run.state):
        return
    hooks = await session_hooks(EVENT, settings, ports, texts, consents)
    with suppress(TimeoutError):
        async with asyncio.timeout(MOST_S):
            await hooks.answer(EVENT, (reason, OTHER), {"reason": reason}, SessionView(ports))
