"""Every error of the protocol: its code, its kind for programs, and whether trying again helps."""

from agls_protocol.items import JsonObject
from agls_protocol.record import record


@record
class ErrorKind:
    """One way in which a request fails; `meaning` is for people."""

    code: int
    kind: str
    retryable: bool
    meaning: str


@record
class ErrorData:
    """`data` of every error: `kind` for programs, `hint` for people, and what the kind names besides.

    `capability` is what is unsupported; `which` limit is exceeded, and its `value`; `methods`: how to log in.
    """

    kind: str
    retryable: bool
    hint: str | None = None
    retry_after_ms: int | None = None
    session_id: str | None = None
    run_id: str | None = None
    capability: str | None = None
    which: str | None = None
    value: int | None = None
    methods: list[JsonObject] | None = None


ERRORS = (
    ErrorKind(-32700, "parseError", False, "no JSON in UTF-8, or a frame that cannot be trusted"),
    ErrorKind(-32600, "invalidRequest", False, "no JSON-RPC message, or not at this time"),
    ErrorKind(-32600, "limitExceeded", False, "more bytes, members or levels than a message may have"),
    ErrorKind(-32601, "methodNotFound", False, "there is no such method"),
    ErrorKind(-32602, "invalidParams", False, "the message names the member that is wrong"),
    ErrorKind(-32602, "noSuchItem", False, "the session has no item of this id, or it does not wait"),
    ErrorKind(-32602, "noSuchAction", False, "`agent/action/list` names the actions there are"),
    ErrorKind(-32602, "cursorExpired", False, "the cursor is of another journal; resume without one"),
    ErrorKind(-32603, "internal", False, "a bug; the server's log says what"),
    ErrorKind(-32002, "notInitialized", False, "`initialize` comes first"),
    ErrorKind(-32800, "cancelled", False, "cancelled by the client; only what had no effect"),
    ErrorKind(-32801, "contentModified", True, "a document changed meanwhile; read it again"),
    ErrorKind(-32802, "serverCancelled", True, "the server gave the request up"),
    ErrorKind(-32803, "failed", False, "it could not be done; the message says why"),
    ErrorKind(-32803, "journal", False, "the session's file cannot be read or written"),
    ErrorKind(-32803, "actionFailed", False, "the action could not be done; the message says why"),
    ErrorKind(-33001, "runActive", True, "a run is active; `runId` names it"),
    ErrorKind(-33002, "noActiveRun", False, "nothing runs"),
    ErrorKind(-33003, "runMismatch", True, "another run is active; `runId` names it"),
    ErrorKind(-33004, "notSteerable", False, "the run takes no messages; the message says why"),
    ErrorKind(-33005, "sessionNotFound", False, "there is no such session"),
    ErrorKind(-33006, "sessionBusyElsewhere", True, "another process writes this session"),
    ErrorKind(-33007, "overloaded", True, "too much waits; try again after `retryAfterMs`"),
    ErrorKind(-33008, "authRequired", False, "the model's provider wants a login or a key"),
    ErrorKind(-33009, "configInvalid", False, "no usable model; the message names the key"),
    ErrorKind(-33010, "keyConflict", False, "the `clientKey` was used for another request"),
    ErrorKind(-33011, "limitExceeded", False, "a well-formed request asks for too much"),
    ErrorKind(-33012, "unsupported", False, "this server, as it is set up, cannot do that"),
    ErrorKind(-33013, "requestResolved", False, "the question was answered already"),
    ErrorKind(-33014, "untrustedMode", False, "nobody trusts the folder, and no person chose this mode"),
)
