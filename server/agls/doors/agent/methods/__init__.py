"""One file per method. A method takes the connection, its params and the call, and returns its result.

Those that a session does not begin with are imported at their first use.
"""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.methods.action_invoke import invoke_action
from agls.doors.agent.methods.action_list import list_actions
from agls.doors.agent.methods.cancel import cancel
from agls.doors.agent.methods.detach import detach
from agls.doors.agent.methods.events import events
from agls.doors.agent.methods.queue import queue
from agls.doors.agent.methods.respond import respond
from agls.doors.agent.methods.resume import resume
from agls.doors.agent.methods.run import run
from agls.doors.agent.methods.session_close import close_session
from agls.doors.agent.methods.session_delete import delete_session
from agls.doors.agent.methods.session_list import list_sessions
from agls.doors.agent.methods.session_new import new_session
from agls.doors.agent.methods.session_rename import rename_session
from agls.doors.agent.methods.session_rewind import rewind_session
from agls.doors.agent.methods.set_option import set_option
from agls.doors.agent.methods.status import status
from agls.doors.agent.methods.steer import steer
from agls.room import OnUse

Handler = Callable[[Connection, Any, Call], Awaitable[Any]]

HANDLERS: Mapping[str, Handler] = {
    "agent/session/new": new_session,
    "agent/session/list": list_sessions,
    "agent/session/close": close_session,
    "agent/session/fork": OnUse(f"{__name__}.session_fork", "fork_session"),
    "agent/session/rewind": rewind_session,
    "agent/session/rename": rename_session,
    "agent/session/delete": delete_session,
    "agent/detach": detach,
    "agent/events": events,
    "agent/item": OnUse(f"{__name__}.item", "item"),
    "agent/queue": queue,
    "agent/setOption": set_option,
    "agent/action/list": list_actions,
    "agent/action/invoke": invoke_action,
    "agent/resume": resume,
    "agent/run": run,
    "agent/steer": steer,
    "agent/complete": OnUse(f"{__name__}.complete", "complete"),
    "agent/edit": OnUse(f"{__name__}.edit", "edit"),
    "agent/cancel": cancel,
    "agent/respond": respond,
    "agent/status": status,
    "agent/provider/list": OnUse(f"{__name__}.provider", "list_providers"),
    "agent/provider/models": OnUse(f"{__name__}.provider", "list_provider_models"),
    "agent/provider/use": OnUse(f"{__name__}.provider", "use_model"),
}
