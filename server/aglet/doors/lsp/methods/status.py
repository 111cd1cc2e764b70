"""`agent/status`: how the server is, and what keeps it from working."""

from aglet import __version__
from aglet.config import ConfigError
from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.engine.ports import ModelError, ModelInfo
from aglet.engine.vocabulary import JsonObject
from aglet_protocol import PROTOCOL_VERSION
from aglet_protocol.types import Empty, SessionState, StatusResult


async def status(door: Door, params: Empty, call: Call) -> StatusResult:
    """Version, the models (that of the next run first) or why there is none, and the open sessions."""
    call.interruptible = True
    told = {**door.attached, **door.followed}
    sessions = [SessionState(name, attached.publisher.status) for name, attached in told.items()]
    result = StatusResult(__version__, PROTOCOL_VERSION, [], sessions)
    try:
        await door.world.model(door.folder)
        result.models = [_row(info) for info in door.world.models(door.folder)]
    except (ConfigError, ModelError) as problem:
        result.problem = str(problem)
    return result


def _row(info: ModelInfo) -> JsonObject:
    window = {} if info.context_window is None else {"contextWindow": info.context_window}
    return {"name": info.name, "provider": info.provider, **window}
