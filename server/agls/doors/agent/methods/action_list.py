"""`agent/action/list`: what the features offer to the user."""

from pathlib import Path

from agls.doors.action_list import action_list
from agls.doors.agent.call import Call
from agls.doors.agent.door import Door
from agls.engine.vocabulary import JsonObject
from agls_protocol.sessions import ActionListParams


async def list_actions(door: Door, params: ActionListParams, call: Call) -> JsonObject:
    """The actions of a session, or those that a new one would have."""
    if not params.session_id:
        return {"actions": action_list(door.world.sketch(door.folder or str(Path.home())))}
    return {"actions": action_list((await door.open(params.session_id, call)).session)}
