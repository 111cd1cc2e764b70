"""`agent/action/list`: what the features offer to the user (protocol, part 1)."""

from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.engine import invoking
from aglet_protocol.sessions import Action, ActionListParams, ActionListResult


async def list_actions(door: Door, params: ActionListParams, call: Call) -> ActionListResult:
    """The actions of a session."""
    session = (await door.open(params.session_id, call)).session
    told = [
        Action(spec.name, spec.title, spec.description, spec.schema, f"/{spec.name}", spec.when)
        for spec in invoking.actions(session)
    ]
    return ActionListResult(told)
