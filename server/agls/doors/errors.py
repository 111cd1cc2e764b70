"""Every error that answers a request (protocol#errors): from the exception to code and kind."""

import logging
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields
from typing import Any

from cattrs import BaseValidationError

from agls.config import ConfigError, KeyMissing
from agls.doors.from_wire import Malformed
from agls.doors.messages import METHOD_NOT_FOUND, Bad, JsonObject
from agls.engine.actions import ActionError
from agls.engine.admission import Refused
from agls.engine.facts import Asked
from agls.engine.ports import JournalBusy, JournalError, ModelError, NoSuchSession, WorkspaceError
from agls.engine.session import Session
from agls.room import PromptRefused
from agls_protocol.converter import camel, explain
from agls_protocol.errors import ERRORS
from agls_protocol.methods import METHODS

RETRY_AFTER = 1_000  # milliseconds after which a refused load is worth another try
TABLE = {error.kind: error for error in ERRORS}  # of a kind with two codes, the one of a well-formed request
LSP_NOTIFICATIONS = frozenset(
    {
        "$/cancelRequest",
        "$/setTrace",
        "initialized",
        "textDocument/didChange",
        "textDocument/didClose",
        "textDocument/didOpen",
        "textDocument/didSave",
        "window/workDoneProgress/cancel",
    }
)
HINTS: Mapping[str, str] = {  # the client's remedy
    "runActive": "Wait for its end, or ask with another `admission`: queue, steer or interrupt.",
    "runMismatch": "Send it again with this runId, or without expectedRunId.",
    "sessionNotFound": "agent/session/list names the sessions there are, agent/session/new makes one.",
    "sessionBusyElsewhere": (
        "Follow it with agent/resume. When the other has let go (a notice says so), agent/resume with "
        "takeControl goes on with it here. Or make another session with agent/session/new."
    ),
    "cursorExpired": "Resume the session without a cursor.",
    "noActiveRun": "agent/run with `input` begins a run.",
    "noSuchItem": "agent/events names the items of a session, agent/queue the prompts that wait.",
    "noSuchAction": "agent/action/list names the actions there are.",
    "notSteerable": "Send it with agent/run, or change the prompt that waits with agent/queue.",
    "keyConflict": "Make a new clientKey for every new request.",
    "untrustedMode": 'Send "chosenBy": "user" when your user chose the mode, or have them run: agls trust',
}
LOGINS = (  # the ways to give a provider its key
    {"method": "environment", "description": "Set the variable that api_key_env of the model names."},
    {"method": "keyring", "description": "Keep it with: agls key set HOST"},
    {"method": "client", "description": "Answer agent/secret, in a client that has `secrets`."},
)
_log = logging.getLogger(__name__)


def bad(kind: str, message: str, **data: Any) -> Bad:
    """Return the error of this kind, with its code, whether to try again, and the client's remedy."""
    error = TABLE.get(kind, TABLE["failed"])
    hint = {"hint": HINTS[kind]} if kind in HINTS else {}
    return Bad(error.code, message, kind=kind, retryable=error.retryable, **{**hint, **data})


def check_asked(sessions: Iterable[Session], request_id: str) -> None:
    """Refuse the answer to a question that was never asked. **Raises** `Malformed`."""
    for session in sessions:
        for entry in session.log.journal.entries():
            if isinstance(entry.fact, Asked) and entry.fact.request_id == request_id:
                return
    raise Malformed(f"params.requestId: there was no question {request_id[:100]!r}")


def to_bad(error: Exception) -> Bad:
    """Return the error for an exception of a method; a bug is logged, and its details stay in the log."""
    match error:
        case Bad():
            return error
        case BaseValidationError():
            return bad("invalidParams", explain(error))
        case Malformed():
            return bad("invalidParams", str(error))
        case Refused():
            more = {"runId": error.run_id} if error.run_id else {}
            return bad(error.kind, str(error), **more)
        case KeyMissing():
            return bad("authRequired", str(error), methods=list(LOGINS))
        case ModelError(kind="auth"):
            return bad("authRequired", str(error), methods=list(LOGINS), **_hint(error))
        case ModelError():
            return bad("configInvalid", str(error), **_hint(error))
        case _:
            return _of_its_class(error)


def _hint(error: ModelError) -> JsonObject:
    return {"hint": error.hint} if error.hint else {}


KINDS: Mapping[type[Exception], str] = {  # the first that fits
    JournalBusy: "sessionBusyElsewhere",
    JournalError: "journal",
    ActionError: "actionFailed",
    ConfigError: "configInvalid",
    WorkspaceError: "failed",
    PromptRefused: "failed",
}


def _of_its_class(error: Exception) -> Bad:
    for known, kind in KINDS.items():
        if isinstance(error, known):
            return bad(kind, str(error))
    _log.error("a method failed", exc_info=error)
    return bad("internal", "Something went wrong inside the server; its log says what.")


def hint_of_params(method: str) -> str:
    """Return what the params of a request may have, for one whose params were refused."""
    if (known := METHODS.get(method)) is None:
        return f"LSP says what {method} takes, and the section Plain mode of the protocol what agls.… take."
    if not (members := fields(known.params)):
        return f"{method} takes no params."
    needed = (each.default is MISSING and each.default_factory is MISSING for each in members)
    named = (camel(each.name) + ("" if need else "?") for each, need in zip(members, needed, strict=True))
    return f"{method} takes {', '.join(named)}. agls schema --out DIR writes what each of them may be."


def overloaded(message: str, **data: str) -> Bad:
    """Return the error that it is too much at once; the same request is worth another try after a while."""
    return bad("overloaded", message, retryAfterMs=RETRY_AFTER, **data)


def given_up() -> Bad:
    """Return the error that the server ends before this was done; nobody cancelled it."""
    message = (
        "The server is shutting down and gave up this request. What it did is unknown. A prompt that was "
        "admitted waits in its session, and begins with the next one there."
    )
    return bad("serverCancelled", message)


def unknown_method(method: str) -> Bad:
    """Return the error for a request whose method the server does not answer."""
    known = METHODS.get(method)
    if known and known.direction == "toClient":
        hint = "The server sends this; a client cannot."
    elif (known and known.result is None) or method in LSP_NOTIFICATIONS:
        hint = "Send it as a notification, without an id."
    else:
        hint = "The answer to initialize lists the methods, in capabilities.experimental.agent.methods."
    return Bad(METHOD_NOT_FOUND, f"There is no request {method[:200]!r}. {hint}", hint=hint)


def cannot_open(session_id: str, error: JournalError) -> Bad:
    """Return the error that there is no such session, or that it cannot be read."""
    kind = "sessionNotFound" if isinstance(error, NoSuchSession) else "journal"
    return bad(kind, str(error), sessionId=session_id)


def session_busy(session_id: str) -> Bad:
    """Return the error that another process writes this session."""
    message = f"Session {session_id} is open in another agls process: an editor, or a terminal."
    return bad("sessionBusyElsewhere", message, sessionId=session_id)


def cursor_expired(epoch: str, seq: int) -> Bad:
    """Return the error that the cursor belongs to another journal, or lies outside of this one."""
    return bad(
        "cursorExpired", "That cursor does not belong to this session as it is now.", epoch=epoch, seq=seq
    )


def unsupported(message: str, capability: str) -> Bad:
    """Return the error that this server, as it is set up, cannot do that."""
    return bad("unsupported", message, capability=capability)


def limit_exceeded(which: str, value: int) -> Bad:
    """Return the error that a well-formed request asks for more than this member may have."""
    return bad("limitExceeded", f"params.{which} may have {value} characters.", which=which, value=value)
