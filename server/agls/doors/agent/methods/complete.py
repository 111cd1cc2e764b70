"""`agent/complete`: ways to go on with a prompt that somebody types."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from pathlib import Path

from agls.code_units import index_in, units
from agls.config import check_folder
from agls.doors import from_wire
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.completion import completions
from agls.engine.session import Session
from agls_protocol.completion import CompleteParams, CompleteResult, CompletionItem


async def complete(connection: Connection, params: CompleteParams, call: Call) -> CompleteResult:
    """Return the best ways to go on at the cursor. A newer request may cancel an older one."""
    call.interruptible = True
    text, encoding = params.text, connection.client.encoding

    def count(index: int) -> int:
        return units(text[:index], encoding)

    async with session_of(connection, params.session_id, params.cwd) as session:
        cursor = index_in(text, max(0, params.cursor), encoding)
        found = await completions(connection.world, session, text, cursor)
    items = [
        CompletionItem(
            item.label, item.kind, item.text, count(item.start), count(item.end), item.detail or None
        )
        for item in found.items
    ]
    return CompleteResult(items, found.more)


@asynccontextmanager
async def session_of(connection: Connection, session_id: str, cwd: str = "") -> AsyncGenerator[Session]:
    """Yield the session that is meant, or one as it would be. **Raises** `Bad` and `ConfigError`."""
    if session_id:
        async with connection.borrowed(session_id) as session:
            yield session
        return
    folder = from_wire.path(cwd, "params.cwd") if cwd else connection.folder or str(Path.home())
    check_folder(folder)
    yield connection.world.sketch(folder)
