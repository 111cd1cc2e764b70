"""Nested tables of settings, as a TOML file gives them."""

from collections.abc import Iterator, Mapping
from typing import Any

from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object, value_in

KeyPath = tuple[str, ...]


def leaves(values: Mapping[str, Any], at: KeyPath = ()) -> Iterator[tuple[KeyPath, Any]]:
    """Every value that is no table (or an empty one), with its path."""
    for key, value in values.items():
        if is_object(value) and value:
            yield from leaves(value, (*at, key))
        else:
            yield (*at, key), value


def prefixes(path: KeyPath) -> Iterator[KeyPath]:
    """The path, what is around it, and so on outwards."""
    return (path[:length] for length in range(len(path), 0, -1))


def value_at(values: JsonObject, path: KeyPath) -> Any:
    """The value at a path; `None` when there is none."""
    return value_in(values, *path)


def put(values: JsonObject, path: KeyPath, value: object) -> None:
    """Set the value at a path, with the tables around it."""
    for part in path[:-1]:
        values = values.setdefault(part, {})
    values[path[-1]] = value
