"""`agent/action/list`: what the features offer to the user."""

from pathlib import Path

from agls.doors.action_list import action_list
from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.engine.vocabulary import JsonObject
from agls_protocol.sessions import ActionListParams


async def list_actions(connection: Connection, params: ActionListParams, call: Call) -> JsonObject:
    """List the actions of a session, or those that a new one would have."""
    if not params.session_id:
        return {"actions": action_list(connection.world.sketch(connection.folder or str(Path.home())))}
    return {"actions": action_list((await connection.open(params.session_id, call)).session)}
