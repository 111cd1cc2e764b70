"""What went wrong with a server, in plain words: an exception of a library says little to people."""

from collections.abc import Mapping, Sequence

import anyio
import httpx2
from mcp.client.auth import OAuthFlowError, OAuthRegistrationError, OAuthTokenError
from mcp.shared.exceptions import MCPError
from mcp_types import (
    CONNECTION_CLOSED,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    URL_ELICITATION_REQUIRED,
)
from pydantic import ValidationError

from agls.engine.ports import WorkspaceError
from agls.mcp_servers.unreachable import nobody_at, reason_of, words_of_system
from agls.room.mcp_ports import ServerProblem

MOST = 500  # characters
NOISE = ". Meanwhile it wrote what is no message of the protocol, and ended with"
CLOSED = "the connection was closed"
DOES_NOT_FIT = "it sent a message that does not fit the protocol"
OF_SDK: Mapping[str, str] = {
    "Session terminated": "it forgot the session",
    "Server returned an error response": "it answered with an error",
    "Not Found": "there is no MCP server at this address (HTTP 404)",
    "Connection closed": CLOSED,
    "SSE stream ended without a response": "its stream ended without an answer",
}
BEGINNINGS = (
    ("Failed to parse", "its answer is not JSON"),
    ("Unexpected content type: ", "its answer is neither JSON nor a stream of events, but {}"),
    ("Redirect to ", "it leads to {}, where nobody is asked: write that as its url, if it is meant"),
    ("Unsupported protocol version from the server: ", "it speaks the revision {}, which agls does not know"),
)
OF_TRANSPORT: Sequence[tuple[tuple[type[BaseException], ...], str]] = (
    (
        (httpx2.ConnectTimeout, httpx2.PoolTimeout),
        "{1}: the connection timed out. Is the address right, and is there a network?",
    ),
    ((httpx2.ConnectError,), "{1}: {0}"),
    ((httpx2.TimeoutException, TimeoutError), "it did not answer in time"),
    ((httpx2.UnsupportedProtocol, httpx2.InvalidURL), "its address is not one of HTTP"),
    ((httpx2.RequestError,), "the connection broke ({0})"),
    ((anyio.ClosedResourceError, anyio.BrokenResourceError, anyio.EndOfStream, ConnectionError), CLOSED),
)
OF_LOGIN: Sequence[tuple[type[BaseException], str]] = (
    (
        OAuthRegistrationError,
        "its authorization server does not take agls as it is: oauth.client_id names it",
    ),
    (OAuthTokenError, "its authorization server gave no token"),
)
NOT_RUN = {PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, URL_ELICITATION_REQUIRED}
ANSWERED = ("Failed to parse", "Unexpected content type: ")  # whatever the code of the SDK


def words_of(error: BaseException) -> str:
    """**Returns** what an exception says, of a group the first that says anything."""
    match error:
        case BaseExceptionGroup():
            return words_of(error.exceptions[0])
        case MCPError():
            return _of_protocol(error)
        case OAuthFlowError():
            return _of_login(error)
        case WorkspaceError():
            return str(error)
        case ValidationError():
            return _does_not_fit(error)
        case RuntimeError():  # the SDK says so what an answer breaks
            return _plain(str(error))
        case _:
            return _of_transport(error)


def is_passing(error: BaseException) -> bool:
    """**Returns** whether nobody could be reached, which may be over soon."""
    match error:
        case BaseExceptionGroup(exceptions=several):
            found: list[bool] = [is_passing(each) for each in several]
            return any(found)
        case _:
            return isinstance(error, (httpx2.NetworkError, httpx2.RemoteProtocolError))


def is_away(error: MCPError) -> bool:
    """**Returns** whether a server at an address is away, or forgot the session."""
    forgot = error.code == INVALID_REQUEST and "terminated" in error.message
    return forgot or is_closed(error) or error.code == INTERNAL_ERROR


def is_closed(error: MCPError) -> bool:
    """**Returns** whether the connection ended, which the SDK says with a code that servers use, too."""
    return error.code == CONNECTION_CLOSED and error.message == "Connection closed"


def may_have_run(error: MCPError) -> bool:
    """**Returns** whether a call that a server answered so may have done something."""
    return error.code not in NOT_RUN or error.message.startswith(ANSWERED)


def no_answer(name: str, seconds: float, noise: str) -> ServerProblem:
    """**Returns** that a server took too long, with the end of what it wrote besides messages."""
    said = f"{name} gave no answer within {seconds:g} seconds; it was told to stop. "
    said += f"Whether the call did anything is not known{NOISE if noise else '.'}"
    return ServerProblem(said, said=noise[-MOST:], may_have_run=True)


def insists(name: str, question: str) -> ServerProblem:
    """**Returns** that a server does nothing without an answer to this question."""
    about = f"{name} needs an answer that it did not get"
    return ServerProblem(about, said=question, may_have_run=True)


def _of_protocol(error: MCPError) -> str:
    if error.code == METHOD_NOT_FOUND and error.message in {"", "Method not found"}:
        return "it does not know this request"
    if error.code == PARSE_ERROR and not error.message:
        return "it could not read the request"
    return _plain(error.message)


def _does_not_fit(error: ValidationError) -> str:
    """**Returns** that a message does not fit, and where, if it is about one place."""
    places = {".".join(map(str, each["loc"])) for each in error.errors(include_url=False)}
    return f"{DOES_NOT_FIT} (at {places.pop()[:80]})" if len(places) == 1 else DOES_NOT_FIT


def login_words(error: BaseException) -> str:
    """**Returns** what an exception says of a login that failed, "" where it is about something else."""
    match error:
        case BaseExceptionGroup(exceptions=several):
            found: list[str] = [login_words(each) for each in several]
            return next(filter(None, found), "")
        case OAuthFlowError():
            return _of_login(error)
        case _:
            return ""


def _of_login(error: OAuthFlowError) -> str:
    found = next((words for kind, words in OF_LOGIN if isinstance(error, kind)), "")
    return f"the login failed: {found or _plain(str(error))}"


def _plain(said: str) -> str:
    if said in OF_SDK:
        return OF_SDK[said]
    for begin, words in BEGINNINGS:
        if said.startswith(begin):
            rest = said.removeprefix(begin).partition(" not followed;")[0]
            return words.format(" ".join(rest.split())[:100])
    return " ".join(said.split())[:MOST] or "it gave no reason"


def _of_transport(error: BaseException) -> str:
    for kinds, words in OF_TRANSPORT:
        if isinstance(error, kinds):
            return words.format(reason_of(error), nobody_at(error))
    if isinstance(error, httpx2.HTTPStatusError):
        return f"it answered with HTTP {error.response.status_code}"
    if isinstance(error, OSError) and error.strerror:
        return words_of_system(error)
    return f"something unexpected happened ({reason_of(error)})"
