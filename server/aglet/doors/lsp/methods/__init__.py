"""One file per method. A method takes the door, its params and the call, and gives its result."""

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aglet.doors.lsp.call import Call
from aglet.doors.lsp.door import Door
from aglet.doors.lsp.methods.action_invoke import invoke_action
from aglet.doors.lsp.methods.action_list import list_actions
from aglet.doors.lsp.methods.cancel import cancel
from aglet.doors.lsp.methods.detach import detach
from aglet.doors.lsp.methods.events import events
from aglet.doors.lsp.methods.item import item
from aglet.doors.lsp.methods.queue import queue
from aglet.doors.lsp.methods.respond import respond
from aglet.doors.lsp.methods.resume import resume
from aglet.doors.lsp.methods.run import run
from aglet.doors.lsp.methods.session_close import close_session
from aglet.doors.lsp.methods.session_delete import delete_session
from aglet.doors.lsp.methods.session_fork import fork_session
from aglet.doors.lsp.methods.session_list import list_sessions
from aglet.doors.lsp.methods.session_new import new_session
from aglet.doors.lsp.methods.session_rename import rename_session
from aglet.doors.lsp.methods.session_rewind import rewind_session
from aglet.doors.lsp.methods.set_option import set_option
from aglet.doors.lsp.methods.status import status
from aglet.doors.lsp.methods.steer import steer

Handler = Callable[[Door, Any, Call], Awaitable[Any]]

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
    "agent/cancel": cancel,
    "agent/respond": respond,
    "agent/status": status,
}
