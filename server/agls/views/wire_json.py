"""Plain JSON, as it stands on the wire: what the values of the protocol have in common."""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from agls.engine.vocabulary import JsonObject

INLINE_BYTES = 65_536  # of one tool output that travel inside its item
EMPTY: tuple[object, ...] = (None, "", (), [], {})
Value = TypeVar("Value")


def compact(kind: type[Value], value: Value) -> Value:
    """Return a typed dictionary without those of its optional members that are `None` or empty."""
    typed: Any = kind
    members: Any = value
    required = typed.__required_keys__
    kept: Any = {
        name: member for name, member in members.items() if member or member not in EMPTY or name in required
    }
    return kept


def filled(**members: Any) -> JsonObject:
    """Return the members that are neither `None` nor empty."""
    return {name: value for name, value in members.items() if value not in EMPTY}


def timestamp(at: float) -> str:
    """Return Unix seconds as ISO 8601 in UTC, with milliseconds."""
    second, thousandths = divmod(round(at * 1000), 1000)
    return f"{_second(second)}.{thousandths:03}Z"


@lru_cache(maxsize=16)
def _second(at: int) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat()[: -len("+00:00")]


def file_uri(path: str) -> str:
    """Return the `file:` URI of an absolute path; "" and what is already a URI stay as they are."""
    return Path(path).as_uri() if Path(path).is_absolute() else path


def file_uris(paths: Iterable[str]) -> list[str]:
    """Return the `file:` URIs of absolute paths."""
    return [file_uri(path) for path in paths]


def utf8_length(text: str) -> int:
    """Return the length of `text` in UTF-8 bytes, the unit of all offsets on the wire."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def capped(text: str) -> tuple[str, int]:
    """Return head and tail of a text that is too large to travel, and how many UTF-8 bytes are left out."""
    if utf8_length(text) <= INLINE_BYTES:
        return text, 0
    head, tail = ends(text)
    omitted = utf8_length(text) - utf8_length(head) - utf8_length(tail)
    return joined(head, tail, omitted), omitted


def ends(text: str) -> tuple[str, str]:
    """Return the head and the tail that travel of a text that is too large."""
    data = text.encode("utf-8", "replace")
    half = INLINE_BYTES // 2
    return data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")


def joined(head: str, tail: str, omitted: int) -> str:
    """Return what is shown of a text of which `omitted` bytes in the middle are left out."""
    return f"{head}\n[… {omitted} bytes left out …]\n{tail}" if omitted else head + tail
