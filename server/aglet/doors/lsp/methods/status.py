"""`agent/status`: how the server is, and what keeps it from working."""

from aglet import __version__
from aglet.config import ConfigError
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.engine.ports import ModelError
from aglet_protocol import PROTOCOL_VERSION
from aglet_protocol.types import Empty, SessionState, StatusResult


async def status(door: Door, params: Empty, call: Call) -> StatusResult:
    """Version, the model of the next run or why there is none, and the open sessions."""
    call.interruptible = True
    told = {**door.attached, **door.followed}
    sessions = [SessionState(name, attached.publisher.status) for name, attached in told.items()]
    result = StatusResult(__version__, PROTOCOL_VERSION, [], sessions)
    try:
        model = await door.world.model(door.folder)
        result.models = [{"name": model.info.name, "provider": model.info.provider}]
    except (ConfigError, ModelError) as problem:
        result.problem = str(problem)
    return result
