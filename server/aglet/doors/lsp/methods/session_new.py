"""`agent/session/new`: make a session and send its events to the client."""

import asyncio
from pathlib import Path

from aglet.doors import from_wire
from aglet.doors.errors import session_busy
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.doors.lsp.once import request_of
from aglet.doors.offers import offered
from aglet.doors.options import read_options
from aglet.engine.ports import JournalBusy
from aglet.engine.session import Session
from aglet.engine.sessions import made_for
from aglet.features.history.filing import shown_title
from aglet_protocol.items import McpServer
from aglet_protocol.types import SessionNewParams, SessionNewResult

NO_MCP = "aglet does not serve MCP yet: the tools of this server are not there."


async def new_session(door: Door, params: SessionNewParams, call: Call) -> SessionNewResult:
    """Make a session in an existing folder; the same `clientKey` gives the same session, to whoever asks."""
    made = await _make(door, params)
    attached = await door.open(made.session_id, call)
    door.join(attached, call)
    session = attached.session
    attached.offers = offered(session)
    return SessionNewResult(
        session_id=session.session_id,
        epoch=session.log.journal.epoch,
        seq=session.state.seq,
        options=dict(session.state.options),
        commands=attached.offers,
        mcp=[McpServer(str(server.get("name", "")), "failed", None, NO_MCP) for server in params.mcp_servers],
    )


async def _make(door: Door, params: SessionNewParams) -> Session:
    cwd = from_wire.path(params.cwd, "params.cwd")
    roots = [from_wire.path(uri, "params.additionalRoots") for uri in params.additional_roots]
    options = read_options({**door.options, **params.options})
    for path in (cwd, *roots):
        if not await asyncio.to_thread(Path(path).is_dir):
            raise from_wire.Malformed(f"there is no folder {path}: make it, or name another one")
    door.world.check_options(cwd, options)
    request = request_of("agent/session/new", params)
    try:
        return await door.world.sessions.create(
            cwd, roots=tuple(roots), title=shown_title(params.title), options=options, request=request
        )
    except JournalBusy:
        raise session_busy(made_for(request)) from None
