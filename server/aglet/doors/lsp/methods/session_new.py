"""`agent/session/new`: make a session and send its events to the client."""

import asyncio
from pathlib import Path

from aglet.doors import from_wire
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Attached, Door
from aglet.doors.options import read_options
from aglet.engine.admission import Refused
from aglet_protocol.types import SessionNewParams, SessionNewResult


async def new_session(door: Door, params: SessionNewParams, call: Call) -> SessionNewResult:
    """Make a session in an existing folder; the same `clientKey` gives the same session."""
    async with door.making:
        known, session_id = door.made.get(params.client_key, (params, ""))
        if known != params:
            raise Refused("This clientKey was used for another request. Use a new one.", "keyConflict")
        attached = await (door.open(session_id, call) if session_id else _make(door, params, call))
        session = attached.session
        if params.client_key:
            door.made[params.client_key] = (params, session.session_id)
    return SessionNewResult(
        session_id=session.session_id,
        epoch=session.log.journal.epoch,
        seq=session.state.seq,
        options=dict(session.state.options),
        commands=[],
        mcp=[],
    )


async def _make(door: Door, params: SessionNewParams, call: Call) -> Attached:
    cwd, *roots = [from_wire.path(uri) for uri in (params.cwd, *params.additional_roots)]
    options = read_options(params.options)
    for path in (cwd, *roots):
        if not await asyncio.to_thread(Path(path).is_dir):
            raise from_wire.Malformed(f"there is no folder {path}")
    door.world.check_options(cwd, options)
    session = await door.world.sessions.create(cwd, roots=tuple(roots), title=params.title, options=options)
    return door.attach(session, call)
