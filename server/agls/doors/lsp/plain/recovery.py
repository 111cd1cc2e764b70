"""Continue or offer to continue, at the start, the interrupted runs of this folder."""

import asyncio
from collections.abc import Iterable
from contextlib import suppress
from typing import Any

from agls.config import ConfigError
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.peer import PeerError
from agls.doors.messages import Bad
from agls.engine.facts import Entry, Noted
from agls.engine.ports import JournalError, ModelError, SessionRow
from agls.engine.recovery import ATTEMPTS, attempts, continue_interrupted
from agls.json_values import is_object
from agls.room.exposed import StartChoice
from agls.room.session_metadata import (
    LEFT,
    TOLD,
    archived,
    left_interrupted,
    noted_of_last_run,
    told_interrupted,
)

REST = 0.5  # seconds in which the client gets to work first
MOST = 3  # questions at one start
CONTINUE = "Continue"
ARCHIVE = "Archive"
LEAVE = "Leave it"
INFO, WARNING = 3, 2  # LSP MessageType


async def recover(connection: Connection) -> None:
    """Do what the setting `recovery` says. A session that another process works on is left to it."""
    await asyncio.sleep(REST)
    with suppress(ConfigError, JournalError):  # beginning a run raises it again
        mode = _mode(connection)
        if mode == "never":
            return
        rows, _ = await connection.world.sessions.list(cwd=connection.folder)
        left = [row for row in rows if row.interrupted and row.state == "idle" and not row.archived]
        for row in [row for row in left if not row.parent_item][:MOST]:  # a child is its parent's
            if connection.world.sessions.is_open(row.session_id):  # the client was faster
                continue
            if _is_known(connection, await connection.world.sessions.peek(row.session_id)):
                continue
            await (_by_itself if mode == "auto" else _ask)(connection, row)


def _is_known(connection: Connection, entries: Iterable[Entry]) -> bool:
    """Return whether they want to leave it, or were told of it and cannot be asked."""
    noted = noted_of_last_run(entries)
    return LEFT in noted or (TOLD in noted and not connection.client.message_requests)


def _mode(connection: Connection) -> str:
    """Return the mode; in a folder that is not trusted nothing begins without a question."""
    if not connection.folder:
        return "never"
    setup = connection.world.setup
    mode = setup.load(connection.folder).config.exposed(StartChoice).start
    return "ask" if mode == "auto" and not setup.trusts_folder(connection.folder) else mode


async def _by_itself(connection: Connection, row: SessionRow) -> None:
    tried = attempts(await connection.world.sessions.peek(row.session_id))
    if tried >= ATTEMPTS:
        await _ask(connection, row, f" It was continued {tried} times and never came to its end.")
        return
    if await _go_on(connection, row):
        _say(connection, INFO, f"agls continues {_name(row)}, which was interrupted.")


async def _ask(connection: Connection, row: SessionRow, more: str = "") -> None:
    """Ask the human where the client can; a client with views of its own has the list."""
    said = f"{_name(row)} was interrupted.{more}"
    if not connection.client.message_requests:
        if connection.client.plain:
            how = f'{{"sessionId": "{row.session_id}", "continueRun": true}}'
            _say(connection, INFO, f"{said} To continue it: agls.run with {how}")
            await _note(connection, row, told_interrupted())
        return
    actions = [{"title": title} for title in (CONTINUE, ARCHIVE, LEAVE)]
    question = {"type": INFO, "message": f"{said} Continue it?", "actions": actions}
    try:
        chosen: Any = await connection.peer.request("window/showMessageRequest", question).future
    except PeerError:
        return
    title = chosen.get("title") if is_object(chosen) else None
    if title == CONTINUE:
        await _go_on(connection, row)
    elif title == ARCHIVE:
        await _note(connection, row, archived(True))
    else:  # LEAVE, or they closed the message
        await _note(connection, row, left_interrupted())


async def _note(connection: Connection, row: SessionRow, fact: Noted) -> None:
    with suppress(Bad):  # another process has it
        async with connection.borrowed(row.session_id) as session:
            session.log.record(fact)
            await session.log.sync()


async def _go_on(connection: Connection, row: SessionRow) -> bool:
    call = Call(0)
    try:
        attached = await connection.open(row.session_id, call)
        state = attached.session.state
        await connection.world.check(state.cwd, dict(state.options))
        return bool(await continue_interrupted(attached.session))
    except Bad:  # another process has it, or it is gone
        return False
    except (ConfigError, ModelError) as problem:
        _say(connection, WARNING, f"{_name(row)} was interrupted and cannot be continued: {problem}")
        return False
    finally:
        call.until_answered.close()


def _say(connection: Connection, kind: int, text: str) -> None:
    connection.peer.notify("window/showMessage", {"type": kind, "message": text})


def _name(row: SessionRow) -> str:
    return f"“{' '.join(row.title.split())[:80]}”" if row.title.strip() else f"The session {row.session_id}"
