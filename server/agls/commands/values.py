"""The value that a word of a command has by the schema of its member."""

import json
from collections.abc import Callable, Mapping
from typing import Any, cast

from agls.engine.vocabulary import JsonObject
from agls.regex import regex

NAME = regex(r"\w[\w.-]*")  # of a member of an object
BOOLEANS = {"true": True, "yes": True, "on": True, "false": False, "no": False, "off": False}


class CommandError(ValueError):
    """The words of a command make no sense; the message says what to write."""


def read_value(name: str, schema: JsonObject, text: str) -> Any:
    """**Returns** the value that a text has by the schema. **Raises** `CommandError`."""
    if choices := schema.get("enum"):
        found = [choice for choice in choices if str(choice).casefold() == text.casefold()]
        found.sort(key=lambda choice: str(choice) != text)
        if not found:
            raise CommandError(f"{name} is one of {', '.join(map(str, choices))}, not {text[:100]!r}.")
        return found[0]
    reader, wanted = _READERS.get(kind_of(schema), (str, ""))
    try:
        return reader(text)
    except (ValueError, KeyError):
        raise CommandError(f"{name} is {wanted}, not {text[:100]!r}.") from None


def _object(text: str) -> JsonObject:
    """**Returns** what `{"name": 1}` says, or `name=1 other=2`."""
    pairs = [word.partition("=") for word in text.split()]
    if pairs and all(NAME.fullmatch(name) and value for name, _, value in pairs):
        return {name: _plain(value) for name, _, value in pairs}
    found: Any = json.loads(text)
    if not isinstance(found, dict):
        raise ValueError(text)  # noqa: TRY004 - it is what `json` raises, too
    return cast("JsonObject", found)


def _plain(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


_READERS: Mapping[str, tuple[Callable[[str], Any], str]] = {
    "boolean": (lambda text: BOOLEANS[text.lower()], "true or false"),
    "integer": (int, "a whole number"),
    "number": (float, "a number"),
    "object": (_object, "one or more NAME=VALUE, or a JSON object"),
}


def is_no_choice(schema: JsonObject, text: str) -> bool:
    """**Returns** whether a member has fixed values, and this is a number that is none of them."""
    return text.isdigit() and bool(values := schema.get("enum")) and text not in map(str, values)


def kind_of(schema: JsonObject) -> str:
    """**Returns** the type of a member: text is what can be anything, and has no choices."""
    kind = schema.get("type")
    if schema.get("enum"):
        return "choice"
    return kind if kind in {"array", *_READERS} else "text"
