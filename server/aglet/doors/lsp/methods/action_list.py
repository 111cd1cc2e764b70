"""`agent/action/list`: what the features offer to the user (protocol, part 1)."""

from pathlib import Path

from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.doors.offers import offered
from aglet.engine.vocabulary import JsonObject
from aglet_protocol.sessions import ActionListParams


async def list_actions(door: Door, params: ActionListParams, call: Call) -> JsonObject:
    """The actions of a session, or those that a new one would have."""
    if not params.session_id:
        return {"actions": offered(door.world.sketch(door.folder or str(Path.home())))}
    return {"actions": offered((await door.open(params.session_id, call)).session)}
