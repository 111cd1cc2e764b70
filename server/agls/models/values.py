"""Accessors for untrusted JSON: a value of the wrong type reads as an empty one."""

from typing import Any, cast

from agls.engine.vocabulary import JsonObject


def object_in(value: object) -> JsonObject:
    """Return the object, or an empty one."""
    return cast("JsonObject", value) if isinstance(value, dict) else {}


def objects_in(value: object) -> list[JsonObject]:
    """Return the objects of a list, without its other values."""
    items: list[Any] = cast("list[Any]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, dict)]


def text_in(value: object) -> str:
    """Return the text, or an empty one."""
    return value if isinstance(value, str) else ""


def valid_unicode(text: str) -> str:
    """Return text that UTF-8 can encode: surrogate pairs joined, lone surrogates replaced (U+FFFD)."""
    if text.isascii():
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
