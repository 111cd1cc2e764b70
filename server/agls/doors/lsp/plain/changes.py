"""The commands `agls.changes`, `agls.keep` and `agls.revert`: the room `review`, for any LSP client."""

import os
from collections.abc import Mapping, Sequence

from agls.config import ConfigError
from agls.diff import lines_of
from agls.doors import from_wire
from agls.doors.agent.attached import Attached
from agls.doors.agent.call import Call
from agls.doors.errors import bad
from agls.doors.lsp.connection import LspConnection
from agls.doors.messages import Bad, JsonObject
from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.ports import JournalError
from agls.engine.run_action import invoke
from agls.room.agent_changes import MOVED_ON, AgentChange, changes_of
from agls.room.notebook_ports import is_notebook
from agls.views.escape import escape_controls
from agls.workspace.editor import Buffer

WARNING = 2  # LSP MessageType


async def changes(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    """List the changes that wait, of one session or of all that are attached, and where they stand now.

    `stands` says whether an open document still has the change as it was made; absent for other files.
    A change of a notebook has its `cell`, and the line in that; `old` and `new` are parts of cells then.
    """
    named = from_wire.named(given, "sessionId")
    rows: list[JsonObject] = []
    for session_id, attached in list(connection.attached.items()):
        if named in {"", session_id}:
            waiting = (await changes_of(attached.session.log.journal)).waiting()
            cells = await _cells(connection, attached, waiting)
            rows += [
                {"sessionId": session_id, **(cells.get(change.hunk_id) or _row(connection, change))}
                for change in waiting
            ]
    return {"changes": rows}


async def keep(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    """Keep a change."""
    attached, change = await _named(connection, given)
    await invoke(attached.session, "changes.keep", {"change": change.hunk_id})
    return {"hunk": change.hunk_id, "outcome": "kept"}


async def revert(connection: LspConnection, given: JsonObject, call: Call) -> JsonObject:
    """Undo a change in its open document, behind the answer: the client may be unable to edit before.

    **Raises** `Bad` when it cannot be undone.
    """
    attached, change = await _named(connection, given)
    if _is_of_cells(connection, change):
        stands = (await _cells(connection, attached, [change])).get(change.hunk_id, {}).get("stands", False)
    else:
        stands = _stands(connection, change)
    if not stands:
        raise _impossible(MOVED_ON)

    async def undo() -> None:
        try:
            await invoke(attached.session, "changes.undo", {"change": change.hunk_id})
        except (ActionError, ConfigError, JournalError, Refused) as problem:
            message = escape_controls(f"agls: the change was not undone: {problem}")
            connection.peer.notify("window/showMessage", {"type": WARNING, "message": message})

    call.behind = undo
    return {"hunk": change.hunk_id, "outcome": "reverting"}


def _stands(connection: LspConnection, change: AgentChange) -> bool:
    """Return whether an open document has the change. **Raises** `Bad` where it cannot be undone there."""
    buffer = connection.buffer(change.uri)
    if buffer is None:
        raise _impossible("The file is not open in the editor. Open it, then try again.")
    if not connection.client.document_changes:
        raise _impossible("This editor cannot apply versioned edits. Undo it there.")
    return change.locate(lines_of(buffer.text))[1]


def _is_of_cells(connection: LspConnection, change: AgentChange) -> bool:
    """Return whether a change is one of a notebook, for a client that opens such as notebooks."""
    if change.by_cell:
        return True
    shows_cells = connection.client.notebooks and is_notebook(change.uri)
    return shows_cells and connection.buffer(change.uri) is None


async def _cells(
    connection: LspConnection, attached: Attached, waiting: Sequence[AgentChange]
) -> Mapping[str, JsonObject]:
    """Return the rows that the room lists, by change, of those of cells: it finds notebooks."""
    of_cells = {change.hunk_id for change in waiting if _is_of_cells(connection, change)}
    if not of_cells:
        return {}
    outcome = await invoke(attached.session, "changes.list", {})
    return {row["hunk"]: row for row in (outcome.data or {}).get("changes", ()) if row["hunk"] in of_cells}


async def rows_in(attached: Attached, buffer: Buffer) -> Sequence[JsonObject]:
    """Return the changes of a session that wait in this document, and where they stand in it."""
    waiting = of_file((await changes_of(attached.session.log.journal)).waiting(), buffer.uri)
    lines = lines_of(buffer.text) if waiting else []
    return [change.row(lines) for change in waiting]


def of_file(changes: Sequence[AgentChange], uri: str) -> Sequence[AgentChange]:
    """Return the changes of this file as a text, under whatever spelling of its path."""
    path = _real_path(uri) if changes else ""
    same = {known for known in {change.uri for change in changes} if _real_path(known) == path}
    return [change for change in changes if change.uri in same and not change.by_cell]


def _row(connection: LspConnection, change: AgentChange) -> JsonObject:
    buffer = None if change.by_cell else connection.buffer(change.uri)
    return change.row(lines_of(buffer.text) if buffer else None)


async def _named(connection: LspConnection, given: JsonObject) -> tuple[Attached, AgentChange]:
    """Return the change that is named, and its session. **Raises** `Malformed` and `Bad`."""
    hunk_id = given.get("hunk")
    if not isinstance(hunk_id, str):
        raise from_wire.Malformed("hunk must be the id of a change, as the code actions carry it")
    for attached in list(connection.attached.values()):
        for change in (await changes_of(attached.session.log.journal)).waiting():
            if change.hunk_id == hunk_id:
                return attached, change
    raise _impossible("This change is kept or undone already, or not from a session that is open here.")


def _impossible(why: str) -> Bad:
    return bad("failed", why)


def _real_path(uri: str) -> str:
    """Return the path of a file's URI with links resolved; the URI itself when it is none of this machine."""
    try:
        return os.path.realpath(from_wire.path(uri))
    except (from_wire.Malformed, ValueError):
        return uri
