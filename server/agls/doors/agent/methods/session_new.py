"""`agent/session/new`: make a session and send its events to the client."""

import asyncio
from pathlib import Path

from agls.doors import from_wire
from agls.doors.action_list import action_list
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.idempotency import request_of
from agls.doors.errors import session_busy
from agls.doors.options import by_user, read_options
from agls.engine.ports import JournalBusy
from agls.engine.session import Session
from agls.engine.sessions import made_for
from agls.room.mcp_ports import GivenServer
from agls.titles import shown_title
from agls_protocol.items import McpServer
from agls_protocol.types import SessionNewParams, SessionNewResult

ON_USE = "It is started with the first run, which is offered its tools."


async def new_session(connection: Connection, params: SessionNewParams, call: Call) -> SessionNewResult:
    """Make a session in an existing folder; the same `clientKey` gives the same session, to whoever asks."""
    made = await _make(connection, params)
    given = connection.world.serve(made, params.mcp_servers) if params.mcp_servers else ()
    attached = await connection.open(made.session_id, call)
    connection.join(attached, call)
    session = attached.session
    attached.offers = action_list(session)
    return SessionNewResult(
        session_id=session.session_id,
        epoch=session.log.journal.epoch,
        seq=session.state.seq,
        options=dict(session.state.options),
        commands=attached.offers,
        mcp=[_status(one) for one in given],
    )


def _status(server: GivenServer) -> McpServer:
    if server.problem:
        return {"name": server.name, "status": "failed", "message": server.problem}
    return {"name": server.name, "status": "stopped", "message": ON_USE}


async def _make(connection: Connection, params: SessionNewParams) -> Session:
    cwd = from_wire.path(params.cwd, "params.cwd")
    roots = [from_wire.path(uri, "params.additionalRoots") for uri in params.additional_roots]
    options = read_options({**connection.options, **params.options})
    for path in (cwd, *roots):
        if not await asyncio.to_thread(Path(path).is_dir):
            raise from_wire.Malformed(f"there is no folder {path}: make it, or name another one")
    connection.world.check_options(cwd, options)
    connection.world.check_mode(cwd, options, by_user=by_user(params.chosen_by))
    request = request_of("agent/session/new", params)
    try:
        session = await connection.world.sessions.create(
            cwd, roots=tuple(roots), title=shown_title(params.title), options=options, request=request
        )
    except JournalBusy:
        raise session_busy(made_for(request)) from None
    connection.world.choose(session.session_id, options)
    return session
