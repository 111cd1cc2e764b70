"""What may only be made stricter: by a trusted project's own file, and below the managed file's limits.

SECURITY.md, P1 and P10. A project may add agents: an agent can do no more than who delegates to it. One that
the user has is the user's.
"""

from collections.abc import Callable, Iterator
from typing import TypeGuard

from agls.config.folders import AGENTS
from agls.config.tables import KeyPath, leaves, put, value_at
from agls.engine.vocabulary import JsonObject
from agls.json_values import is_object
from agls.modes import widens
from agls.order import ROOMS

ADDED_UP = frozenset({("permissions", "allow"), ("permissions", "ask"), ("permissions", "deny")})
STRICTER = frozenset({("permissions", "ask"), ("permissions", "deny")})  # lists that may grow
LOWERED = frozenset(room.name for room in ROOMS if room.lowered)  # tables whose numbers may become smaller
MANAGED_ONLY = frozenset((room.name, key) for room in ROOMS for key in room.managed_keys)
Sorted = tuple[JsonObject, tuple[KeyPath, ...]]  # what is followed, and the keys that are not


def tighten(values: JsonObject, held: JsonObject) -> Sorted:
    """What of a project's `values` is followed, given what holds without them."""
    return _sorted(_entries(values), lambda path, value: _is_stricter(path, value, held))


def narrowed(values: JsonObject) -> Sorted:
    """What of `values` lets nothing more run unasked: all but a wider mode and rules that allow."""
    return _sorted(leaves(values), lambda path, value: not _lets_run(path, value))


def within(values: JsonObject, policy: JsonObject) -> Sorted:
    """What of `values` a policy leaves: no number above the one it has in a table of limits."""
    most = {table: content for table, content in policy.items() if table in LOWERED}
    return _sorted(leaves(values), lambda path, value: not _is_above(value, value_at(most, path)))


def without_managed(values: JsonObject) -> Sorted:
    """What of `values` is not for the managed file alone."""
    return _sorted(_entries(values), lambda path, _: path[:2] not in MANAGED_ONLY)


def _sorted(entries: Iterator[tuple[KeyPath, object]], follow: Callable[[KeyPath, object], bool]) -> Sorted:
    accepted: JsonObject = {}
    refused: list[KeyPath] = []
    for path, value in entries:
        if follow(path, value):
            put(accepted, path, value)
        else:
            refused.append(path)
    return accepted, tuple(refused)


def _entries(values: JsonObject) -> Iterator[tuple[KeyPath, object]]:
    for table, content in values.items():
        if table in LOWERED and is_object(content):
            yield from leaves(content, (table,))
        elif table == AGENTS and is_object(content):
            for name, agent in content.items():
                tier = agent.get("tier") if is_object(agent) else None
                yield (table, name), agent if tier is None else {**agent, "tier": ""}
                yield from (((table, name, "tier"), tier),) if tier else ()  # a folder chooses no model
        elif is_object(content):
            yield from (((table, key), value) for key, value in content.items())
        else:
            yield (table,), content


def _lets_run(path: KeyPath, value: object) -> bool:
    return path == ("permissions", "allow") or (path == ("permissions", "mode") and widens(value))


def _is_stricter(path: KeyPath, value: object, held: JsonObject) -> bool:
    if path in STRICTER:
        return isinstance(value, list)
    if path[0] == AGENTS:
        return len(path) == 2 and is_object(value) and path[1] not in held[AGENTS]
    around = value_at(held, path[:-1])
    if path[0] not in LOWERED or not is_object(around) or path[-1] not in around:
        return False
    return _is_number(value) and not _is_above(value, around[path[-1]])


def _is_above(value: object, most: object) -> bool:
    """Whether this is more than the most there may be (`None`: no limit), or cannot be compared with it."""
    if most is None:
        return False
    return not (_is_number(value) and _is_number(most) and value <= most)


def _is_number(value: object) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)
