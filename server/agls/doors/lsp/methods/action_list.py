"""`agent/action/list`: what the features offer to the user (protocol, part 1)."""

from pathlib import Path

from agls.doors.lsp.call import Call
from agls.doors.lsp.door import Door
from agls.doors.offers import offered
from agls.engine.vocabulary import JsonObject
from agls_protocol.sessions import ActionListParams


async def list_actions(door: Door, params: ActionListParams, call: Call) -> JsonObject:
    """The actions of a session, or those that a new one would have."""
    if not params.session_id:
        return {"actions": offered(door.world.sketch(door.folder or str(Path.home())))}
    return {"actions": offered((await door.open(params.session_id, call)).session)}
