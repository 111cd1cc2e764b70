"""Every error that requests are answered with (protocol 4.11): from what was raised to code and kind."""

import logging

from cattrs import BaseValidationError

from aglet.config import ConfigError
from aglet.doors.from_wire import Malformed
from aglet.doors.messages import INTERNAL_ERROR, INVALID_PARAMS, Bad, JsonObject
from aglet.engine.actions import ActionError
from aglet.engine.admission import Refused
from aglet.engine.ports import JournalBusy, JournalError, ModelError, WorkspaceError
from aglet_protocol.converter import explain

SESSION_NOT_FOUND = -33005
SESSION_BUSY = -33006
OVERLOADED = -33007
AUTH_REQUIRED = -33008
CONFIG_INVALID = -33009
UNSUPPORTED = -33012
REQUEST_FAILED = -32803

RETRY_AFTER = 1_000  # milliseconds after which it is worth trying again what was too much

REFUSED = {  # kind: code, retryable
    "runActive": (-33001, True),
    "noActiveRun": (-33002, False),
    "runMismatch": (-33003, True),
    "notSteerable": (-33004, False),
    "overloaded": (OVERLOADED, True),
    "keyConflict": (-33010, False),
    "noSuchItem": (INVALID_PARAMS, False),
    "noSuchAction": (INVALID_PARAMS, False),
}
BUSY = (
    "Follow it with agent/resume. When the other has let go (a notice says so), agent/resume with "
    "takeControl goes on with it here. Or make another session with agent/session/new."
)
HINTS = {  # what the client can do about it
    "runActive": "Wait for its end, or ask with another `admission`: queue, steer or interrupt.",
    "runMismatch": "Send it again with this runId, or without expectedRunId.",
}
_log = logging.getLogger(__name__)


def overloaded(message: str, **data: str) -> Bad:
    """Too much at once; the same request is worth trying again after a while."""
    told: JsonObject = {"kind": "overloaded", "retryable": True, "retryAfterMs": RETRY_AFTER, **data}
    return Bad(OVERLOADED, message, **told)


def to_bad(error: Exception) -> Bad:
    """The answer to what a method raised; a bug is logged and told without its insides."""
    match error:
        case Bad():
            return error
        case BaseValidationError():
            return Bad(INVALID_PARAMS, explain(error))
        case Malformed():
            return Bad(INVALID_PARAMS, str(error))
        case Refused():
            return _refused(error)
        case JournalError() | ActionError():
            return _undone(error)
        case ConfigError():
            return Bad(CONFIG_INVALID, str(error), kind="configInvalid")
        case ModelError() | WorkspaceError():
            return _model(error) if isinstance(error, ModelError) else _failed(error)
        case _:
            _log.error("a method failed", exc_info=error)
            return Bad(INTERNAL_ERROR, "Something went wrong inside the server; its log says what.")


def session_not_found(session_id: str, error: JournalError) -> Bad:
    """There is no such session (or it cannot be read)."""
    hint = "agent/session/list names the sessions there are, agent/session/new makes one."
    return Bad(SESSION_NOT_FOUND, str(error), kind="sessionNotFound", sessionId=session_id, hint=hint)


def session_busy(session_id: str) -> Bad:
    """Another process writes this session."""
    return Bad(
        SESSION_BUSY,
        f"Session {session_id} is open in another aglet process, most likely in another editor window.",
        kind="sessionBusyElsewhere",
        retryable=True,
        sessionId=session_id,
        hint=BUSY,
    )


def cursor_expired(epoch: str, seq: int) -> Bad:
    """The cursor belongs to another journal, or lies outside of this one."""
    message = "That cursor is none of this session as it is now."
    hint = "Resume the session without a cursor."
    return Bad(INVALID_PARAMS, message, kind="cursorExpired", epoch=epoch, seq=seq, hint=hint)


def unsupported(message: str, capability: str) -> Bad:
    """This server, as it is set up, cannot do that."""
    return Bad(UNSUPPORTED, message, kind="unsupported", capability=capability)


def _refused(error: Refused) -> Bad:
    code, retryable = REFUSED.get(error.kind, (REQUEST_FAILED, False))
    more = {"runId": error.run_id} if error.run_id else {}
    if hint := HINTS.get(error.kind):
        more["hint"] = hint
    return Bad(code, str(error), kind=error.kind, retryable=retryable, **more)


def _undone(error: JournalError | ActionError) -> Bad:
    if isinstance(error, JournalBusy):
        return Bad(SESSION_BUSY, str(error), kind="sessionBusyElsewhere", retryable=True, hint=BUSY)
    kind = "journal" if isinstance(error, JournalError) else "actionFailed"
    return Bad(REQUEST_FAILED, str(error), kind=kind)


def _model(error: ModelError) -> Bad:
    hint = {"hint": error.hint} if error.hint else {}
    if error.kind == "auth":
        return Bad(AUTH_REQUIRED, str(error), kind="authRequired", **hint)
    return Bad(CONFIG_INVALID, str(error), kind="configInvalid", **hint)


def _failed(error: Exception) -> Bad:
    return Bad(REQUEST_FAILED, str(error), kind="failed")
