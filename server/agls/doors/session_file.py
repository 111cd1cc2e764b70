"""A session as a file, made when somebody asks for one: the renderers are loaded then."""

import asyncio
from collections.abc import Sequence

from agls.engine.facts import Entry


async def export(session_id: str, entries: Sequence[Entry], form: str) -> bytes:
    """Return the session in a format of `session_export.FORMATS`; there is at least one entry."""
    from agls.doors.session_export import exported  # noqa: PLC0415 - few sessions are exported

    return await asyncio.to_thread(exported, session_id, entries, form)
