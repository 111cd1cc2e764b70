"""Every method of the protocol: who sends it, with what, and what comes back."""

from typing import Any, Literal

from attrs import frozen

from aglet_protocol import types
from aglet_protocol.events import EventParams


@frozen
class Method:
    """`result` is `None` for notifications."""

    params: Any
    result: Any
    direction: Literal["toServer", "toClient"] = "toServer"


METHODS: dict[str, Method] = {
    "agent/session/new": Method(types.SessionNewParams, types.SessionNewResult),
    "agent/session/list": Method(types.SessionListParams, types.SessionListResult),
    "agent/session/close": Method(types.SessionCloseParams, types.Empty),
    "agent/resume": Method(types.ResumeParams, types.ResumeResult),
    "agent/run": Method(types.RunParams, types.RunAnswer),
    "agent/steer": Method(types.SteerParams, types.SteerResult),
    "agent/cancel": Method(types.CancelParams, types.CancelResult),
    "agent/respond": Method(types.RespondParams, types.RespondResult),
    "agent/status": Method(types.Empty, types.StatusResult),
    "agent/event": Method(EventParams, None, "toClient"),
    "agent/requestPermission": Method(types.PermissionParams, types.PermissionAnswer, "toClient"),
    "agent/askUser": Method(types.AskUserParams, types.AskUserAnswer, "toClient"),
    "agent/save": Method(types.SaveParams, types.SaveAnswer, "toClient"),
}
