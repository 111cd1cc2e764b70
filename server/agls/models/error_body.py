"""The body of an error response, in the shapes of all known servers: message, codes, requested wait."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any, cast

from agls.frozen import frozen
from agls.json_values import object_in, objects_in
from agls.models.endpoint import Endpoint
from agls.regex import regex
from agls.short_text import brief

LONGEST = 500  # characters of a message that are shown
KEY_LIKE = regex(r"\b(?:sk|gsk|xai|pplx|key|AIza)[-_][\w*.-]{8,}|\bAIza[\w-]{20,}")
UNITS = {  # in seconds
    "ms": 0.001,
    **dict.fromkeys(("s", "sec", "second"), 1.0),
    **dict.fromkeys(("m", "min", "minute"), 60.0),
    **dict.fromkeys(("h", "hour"), 3600.0),
}
PART = regex(r"(\d+(?:\.\d+)?)\s?(ms|hour|minute|min|second|sec|h|m|s)s?(?![a-z])", re.IGNORECASE)
AGAIN = regex(  # words that name a time to wait, and the time
    rf"(?:try again|retry|wait)(?: after| in| for| at least| about){{0,2}}:?"
    rf" ((?:{PART.pattern}[ ,]*){{1,4}})",
    re.IGNORECASE,
)
Json = Mapping[str, Any]


@frozen
class ErrorBody:
    """An error as the server described it. `codes` are its codes and types, in lower case.

    `status` is the HTTP status that the body names. `data` is the error object.
    """

    message: str = ""
    codes: str = ""
    status: int | None = None
    data: Json | None = None
    is_page: bool = False


def parse_error(body: object, endpoint: Endpoint) -> ErrorBody:
    """Parse the body of an error: text, or decoded JSON in the shape of any known server.

    `{"error": {…}}`, `{"error": "text"}`, `{"message"}`, `{"detail"}`, `[{"error": …}]`, text, HTML.
    """
    if isinstance(body, str):
        try:
            body = json.loads(body)
        except (ValueError, RecursionError):
            text = str(body).strip()
            is_page = text.startswith("<")
            return ErrorBody("" if is_page else excerpt(text, endpoint), is_page=is_page)
    if isinstance(body, list):
        body = next(iter(cast("list[object]", body)), None)
    if not isinstance(body, dict):
        return ErrorBody(excerpt(str(body), endpoint) if body else "")
    outer = cast("Json", body)
    inner = outer.get("error")
    error: Json = cast("Json", inner) if isinstance(inner, dict) else outer
    named = [error.get(key) for key in ("code", "type", "status", "error_type")] + [outer.get("code")]
    codes = " ".join(str(code).lower() for code in named if isinstance(code, str | int))
    statuses = (int(str(code)) for code in named if str(code).isdigit())
    status = next((code for code in statuses if 400 <= code < 600), None)
    return ErrorBody(excerpt(_message(error), endpoint), codes, status, error)


def _message(error: Json) -> str:
    upstream = object_in(error.get("metadata")).get("raw")
    found = [error.get(key) for key in ("message", "error", "detail", "errors")]
    texts = [_text(part) for part in (*found, upstream)]
    return ": ".join(dict.fromkeys(text for text in texts if text))


def _text(part: object) -> str:
    if isinstance(part, str):
        return part
    if isinstance(part, list):
        return "; ".join(_text(item) for item in cast("list[object]", part)[:5])
    item = object_in(part)
    return str(item.get("msg") or item.get("message") or "")


def excerpt(text: str, endpoint: Endpoint) -> str:
    """Return the text as one short line, without keys and control characters."""
    for secret in endpoint.secrets:
        text = text.replace(secret, "[key]")
    return brief("".join(c if c.isprintable() else " " for c in KEY_LIKE.sub("[key]", text)), LONGEST)


def requested_wait(headers: Mapping[str, str], error: ErrorBody) -> float:
    """Return the wait that the server requests, in seconds; the longest where it names several, 0 for none.

    Retry-After (RFC 9110, 10.2.3) in seconds or as a date, retry-after-ms, google.rpc.RetryInfo; where
    none of these is there, words such as "try again in 1m2.5s".
    """
    waits = [_seconds(headers.get("retry-after", "")), _number(headers.get("retry-after-ms", "")) / 1000]
    for detail in objects_in((error.data or {}).get("details")):
        waits.append(_number(str(detail.get("retryDelay", "")).removesuffix("s")))
    return max(waits) or max((_duration(found[1]) for found in AGAIN.finditer(error.message)), default=0.0)


def _duration(words: str) -> float:
    """Return the seconds of a duration in words: `1m2.5s`, `350ms`, `20 seconds`."""
    return sum(float(number) * UNITS[unit.lower()] for number, unit in PART.findall(words))


def _seconds(value: str) -> float:
    if seconds := _number(value):
        return seconds
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - few servers name a date, and it takes a while

    try:
        return max(parsedate_to_datetime(value).timestamp() - time.time(), 0.0)
    except (ValueError, OverflowError):
        return 0.0


def _number(value: str) -> float:
    return float(value) if re.fullmatch(r"\d{1,15}(\.\d+)?", value.strip()) else 0.0
