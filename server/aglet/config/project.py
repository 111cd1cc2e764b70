"""What a trusted project's own files may do: make things stricter, add agents (`promises.md` R2, R20).

An agent can do no more than who delegates to it: its tools are some of theirs, its calls pass the same
permissions, its limits are what they have left. One that the user has is the user's.
"""

from collections.abc import Iterator

from aglet.config.folders import AGENTS
from aglet.config.tables import KeyPath, is_table
from aglet.engine.vocabulary import JsonObject

ADDED_UP = frozenset({("permissions", "allow"), ("permissions", "ask"), ("permissions", "deny")})
STRICTER = frozenset({("permissions", "ask"), ("permissions", "deny")})  # lists that may grow
LOWERED = frozenset({"budget", "deadline", "guards"})  # tables whose numbers may become smaller


def tighten(values: JsonObject, held: JsonObject) -> tuple[JsonObject, tuple[KeyPath, ...]]:
    """What of a project's `values` is followed, given what holds without them, and the keys that are not."""
    accepted: JsonObject = {}
    refused: list[KeyPath] = []
    for path, value in _entries(values):
        if _stricter(path, value, held):
            accepted.setdefault(path[0], {})[path[1]] = value
        else:
            refused.append(path)
    return accepted, tuple(refused)


def _entries(values: JsonObject) -> Iterator[tuple[KeyPath, object]]:
    for table, content in values.items():
        if is_table(content):
            yield from (((table, key), value) for key, value in content.items())
        else:
            yield (table,), content


def _stricter(path: KeyPath, value: object, held: JsonObject) -> bool:
    if path in STRICTER:
        return isinstance(value, list)
    if path[0] == AGENTS:
        return len(path) == 2 and is_table(value) and path[1] not in held[AGENTS]
    if len(path) == 2 and path[0] in LOWERED and path[1] in held[path[0]]:
        before = held[path[0]][path[1]]
        return _is_number(value) and (before is None or (_is_number(before) and value <= before))
    return False


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
