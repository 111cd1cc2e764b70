"""JSON-RPC 2.0 messages: read strictly, answered always. Nothing but the standard library."""

import json
import re
import sys
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any, Literal, NoReturn, cast

JsonObject = dict[str, Any]
RequestId = int | str

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
NOT_INITIALIZED = -32002
CANCELLED = -32800
SERVER_CANCELLED = -32802

DEEPEST = 128  # levels of arrays and objects in one message
MOST = 500_000  # members of arrays and objects in one message: each may cost 30 times its bytes
LIGHT = 1_000_000  # bytes; a message that has fewer cannot cost much
BEGINS = (b",", b"[", b"{")  # one stands before every member
CROWDED = rb'(?s)(?:(?:[^"\[{,]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+[\[{,]){%d}+' % (MOST + 1)

Kind = Literal["request", "notification", "response"]


class Bad(Exception):
    """A message that is answered with an error; `id` is `None` where it has none that can be used."""

    def __init__(self, code: int, message: str, id: RequestId | None = None, **data: Any) -> None:
        super().__init__(message)
        self.code = code
        self.id = id
        self.data = data

    def reply(self) -> JsonObject:
        """Return the error response."""
        return failure(self.id, self.code, str(self), self.data)


def failure(id: RequestId | None, code: int, message: str, data: Mapping[str, Any]) -> JsonObject:
    """Return an error response. Every error says in `data.kind` what it is, for programs."""
    data = {"kind": KINDS.get(code, "failed"), "retryable": False, **data}
    return {"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message, "data": data}}


KINDS = {
    PARSE_ERROR: "parseError",
    INVALID_REQUEST: "invalidRequest",
    METHOD_NOT_FOUND: "methodNotFound",
    INVALID_PARAMS: "invalidParams",
    INTERNAL_ERROR: "internal",
    NOT_INITIALIZED: "notInitialized",
    CANCELLED: "cancelled",
}


def parse(body: bytes) -> JsonObject:
    """Return one message.

    **Raises** `Bad` for bytes that are no JSON (RFC 8259), no JSON-RPC 2.0 message, or too much.
    """
    if len(body) > LIGHT and sum(map(body.count, BEGINS)) > MOST and re.match(CROWDED, body):
        raise _too_much(f"A message may have {MOST} members of arrays and objects.", "members", MOST)
    try:
        text = body.decode("utf-8")
        message: Any = json.loads(text, parse_constant=_refuse, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        raise Bad(PARSE_ERROR, f"The message is not JSON in UTF-8: {_reason(error)}.") from None
    if not isinstance(message, dict):
        raise Bad(INVALID_REQUEST, "A message is one JSON object; batches are not part of LSP.")
    if not _is_text(cast(JsonObject, message).get("id")):
        raise Bad(INVALID_REQUEST, "An id has no half of a surrogate pair: it could not be sent back.")
    if body.count(b"[") + body.count(b"{") > DEEPEST:
        _check_depth(cast(JsonObject, message))
    checked = cast(JsonObject, scrubbed(message) if b"\\ud" in body or b"\\uD" in body else message)
    check(checked)
    return checked


def _reason(error: ValueError | RecursionError) -> str:
    """Return what is wrong and where, without what stood there."""
    match error:
        case RecursionError():
            return f"its arrays and objects may be nested at most {DEEPEST} deep"
        case UnicodeDecodeError(reason=reason, start=start):
            return f"{reason} at byte {start}"
        case json.JSONDecodeError(msg=problem, pos=place):
            return f"{problem} at character {place}"
        case _:
            return "it has a number that JSON does not have, or one that is too large"


def _is_text(value: object) -> bool:
    """Return whether this can be written as UTF-8, if it is a string."""
    return not isinstance(value, str) or not any("\ud800" <= character <= "\udfff" for character in value)


def _check_depth(message: JsonObject) -> None:
    """Check that no object or array is too deep for the stack. **Raises** `Bad`."""
    level: list[Any] = [message]
    for _ in range(DEEPEST):
        level = [inner for value in level for inner in _members(value) if isinstance(inner, dict | list)]
        if not level:
            return
    known = message.get("id")
    text = f"The arrays and objects of a message may be {DEEPEST} deep."
    raise _too_much(text, "depth", DEEPEST, known if valid_id(known) else None)


def _members(value: dict[Any, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _too_much(text: str, which: str, value: int, known: RequestId | None = None) -> Bad:
    return Bad(INVALID_REQUEST, text, known, kind="limitExceeded", which=which, value=value)


def _refuse(constant: str) -> NoReturn:
    raise ValueError(constant)


def _finite(number: str) -> float:
    value = float(number)
    if value - value != 0:
        raise ValueError(number)
    return value


def scrubbed(value: Any) -> Any:
    """Return the value with lone surrogates replaced: they are no text and no encoder takes them."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [scrubbed(item) for item in cast(list[Any], value)]
    if isinstance(value, dict):
        return {scrubbed(name): scrubbed(item) for name, item in cast(JsonObject, value).items()}
    return value


def check(message: JsonObject) -> None:
    """Check that this is a request, a notification or a response. **Raises** `Bad`."""
    usable = valid_id(message.get("id"))
    known: RequestId | None = message["id"] if usable else None
    if message.get("jsonrpc") != "2.0":
        raise Bad(INVALID_REQUEST, 'A message has the member "jsonrpc": "2.0".', known)
    if "id" in message and not usable and ("method" in message or message["id"] is not None):
        raise Bad(INVALID_REQUEST, "An id is a whole number or a string.")
    if "method" in message:
        if not isinstance(message["method"], str):
            raise Bad(INVALID_REQUEST, "A method is a string.", known)
    elif "id" not in message or not ("result" in message or "error" in message):
        raise Bad(INVALID_REQUEST, "Without a method it is a response, with a result or an error.", known)


def valid_id(id: object) -> bool:
    """Return whether LSP allows this as the id of a request."""
    return isinstance(id, int | str) and not isinstance(id, bool)


def kind_of(message: JsonObject) -> Kind:
    """Return the kind of a checked message."""
    if "method" not in message:
        return "response"
    return "request" if "id" in message else "notification"


def dumps(value: Any) -> str:
    """Return the value as JSON."""
    return written(value).decode()


def written(value: Any) -> bytes:
    """Return the value as JSON: by the encoder of pydantic, five times as fast, once that is imported."""
    core = sys.modules.get("pydantic_core")
    if write := getattr(core, "to_json", None):
        with suppress(ValueError):  # half a surrogate pair
            return write(value)
    return _dumps(value).encode("utf-8", "replace")


_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def encode(message: JsonObject) -> bytes:
    """Return the message as a frame."""
    return _frame(written(message))


def framed(text: str) -> bytes:
    """Return a written message as a frame."""
    return _frame(text.encode("utf-8", "replace"))


def _frame(body: bytes) -> bytes:
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)
