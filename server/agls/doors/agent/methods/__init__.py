"""One file per method. A method takes the connection, its params and the call, and gives its result."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from agls.doors.agent.call import Call
from agls.doors.agent.connection import Connection
from agls.doors.agent.methods.action_invoke import invoke_action
from agls.doors.agent.methods.action_list import list_actions
from agls.doors.agent.methods.cancel import cancel
from agls.doors.agent.methods.complete import complete
from agls.doors.agent.methods.detach import detach
from agls.doors.agent.methods.edit import edit
from agls.doors.agent.methods.events import events
from agls.doors.agent.methods.item import item
from agls.doors.agent.methods.provider import list_provider_models, list_providers, use_model
from agls.doors.agent.methods.queue import queue
from agls.doors.agent.methods.respond import respond
from agls.doors.agent.methods.resume import resume
from agls.doors.agent.methods.run import run
from agls.doors.agent.methods.session_close import close_session
from agls.doors.agent.methods.session_delete import delete_session
from agls.doors.agent.methods.session_fork import fork_session
from agls.doors.agent.methods.session_list import list_sessions
from agls.doors.agent.methods.session_new import new_session
from agls.doors.agent.methods.session_rename import rename_session
from agls.doors.agent.methods.session_rewind import rewind_session
from agls.doors.agent.methods.set_option import set_option
from agls.doors.agent.methods.status import status
from agls.doors.agent.methods.steer import steer

Handler = Callable[[Connection, Any, Call], Awaitable[Any]]

HANDLERS: Mapping[str, Handler] = {
    "agent/session/new": new_session,
    "agent/session/list": list_sessions,
    "agent/session/close": close_session,
    "agent/session/fork": fork_session,
    "agent/session/rewind": rewind_session,
    "agent/session/rename": rename_session,
    "agent/session/delete": delete_session,
    "agent/detach": detach,
    "agent/events": events,
    "agent/item": item,
    "agent/queue": queue,
    "agent/setOption": set_option,
    "agent/action/list": list_actions,
    "agent/action/invoke": invoke_action,
    "agent/resume": resume,
    "agent/run": run,
    "agent/steer": steer,
    "agent/complete": complete,
    "agent/edit": edit,
    "agent/cancel": cancel,
    "agent/respond": respond,
    "agent/status": status,
    "agent/provider/list": list_providers,
    "agent/provider/models": list_provider_models,
    "agent/provider/use": use_model,
}
