"""Ask once, at the start, whether a folder with files for agents is trusted."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

from agls.config import ConfigError
from agls.disk_space import unsaved
from agls.doors.agent.connection import Connection
from agls.doors.agent.peer import PeerError
from agls.doors.trust_files import files_for_agents
from agls.json_values import is_object
from agls.views.escape import escape_name

QUESTION = (
    "{files} would instruct the agent how to work in {folder}. Trust this folder from now on? It may add "
    "instructions, ask and deny rules and lower limits, not permissions."
)
TRUST, WITHOUT = "Trust this folder", "Work without them"
TAKE_BACK = "{} is trusted. To take that back: agls trust --revoke, or /trust"
INFO, WARNING = 3, 2  # LSP MessageType


async def ask_for_trust(connection: Connection) -> None:
    """Ask the human, for a client that can ask and does not say by itself whether the folder is trusted.

    The answer is remembered for every door. A question that is dismissed is asked at the next start.
    """
    with suppress(ConfigError):  # who wants to work hears why there is no world
        trust, place = connection.world.setup.trust, Path(connection.folder)
        files = await asyncio.to_thread(files_for_agents, connection.folder)
        if not files or connection.world.setup.trusts(place) or trust.declined(place):
            return
        shown = escape_name(connection.folder)
        title = await _answer(
            connection, QUESTION.format(files=", ".join(map(escape_name, files)), folder=shown)
        )
        try:
            if title == TRUST:
                await asyncio.to_thread(trust.remember, place)
                _say(connection, INFO, TAKE_BACK.format(shown))
            elif title == WITHOUT:
                await asyncio.to_thread(trust.decline, place)
        except OSError as problem:
            _say(connection, WARNING, unsaved(problem))


async def _answer(connection: Connection, message: str) -> str:
    actions = [{"title": title} for title in (TRUST, WITHOUT)]
    question = {"type": WARNING, "message": message, "actions": actions}
    try:
        chosen: Any = await connection.peer.request("window/showMessageRequest", question).future
    except PeerError:
        return ""
    return str(chosen.get("title")) if is_object(chosen) else ""


def _say(connection: Connection, kind: int, text: str) -> None:
    connection.peer.notify("window/showMessage", {"type": kind, "message": text})
