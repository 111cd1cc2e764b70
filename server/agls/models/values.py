"""JSON from strangers, taken for what it is: the wrong shape is the empty one."""

from typing import Any, cast

from agls.engine.vocabulary import JsonObject


def object_in(value: object) -> JsonObject:
    """The object, or an empty one."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_in(value: object) -> list[JsonObject]:
    """The objects of a list; whatever else is in it is left out."""
    items: list[Any] = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def text_in(value: object) -> str:
    """The text, or an empty one."""
    return value if isinstance(value, str) else ""


def valid_unicode(text: str) -> str:
    """Text that UTF-8 can carry: halves of a character joined, lone halves replaced (U+FFFD)."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
