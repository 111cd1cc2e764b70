"""A fold over a sequence that grows: it looks at each member once."""

from collections import OrderedDict
from collections.abc import Callable
from typing import Any, Generic, TypeVar

Value = TypeVar("Value")
REMEMBERED = 16  # sequences


class PrefixFold(Generic[Value]):
    """A fold over sequences that only grow, nearly always: the messages of a session, the notes of a room.

    `nothing` makes the value of an empty sequence. `add` returns the value with more members; it may change
    the one that it is given.
    """

    def __init__(self, nothing: Callable[[], Value], add: Callable[[Value, tuple[Any, ...]], Value]) -> None:
        self._nothing, self._add = nothing, add
        self._known: OrderedDict[int, tuple[tuple[Any, ...], Value]] = OrderedDict()

    def of(self, members: tuple[Any, ...]) -> Value:
        """Return what all members add up to. The caller does not change it.

        Those that were there last time are not looked at again, if these begin with them. A sequence is
        known by its first member, the object: what is kept of it keeps that alive.
        """
        if not members:
            return self._nothing()
        begun, value = self._known.pop(id(members[0]), ((), None))
        if value is None or members[: len(begun)] != begun:
            begun, value = (), self._nothing()
        value = self._add(value, members[len(begun) :])
        self._known[id(members[0])] = members, value
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)
        return value
