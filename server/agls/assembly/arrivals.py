"""The rooms of a process: those of the order, and those that arrived while it runs."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from agls.assembly.needs import PORTS
from agls.config import AgentDefinition, Config, ConfigError
from agls.engine.feature import Feature
from agls.order import PLUGINS, ROOMS, in_order
from agls.room import Arrivals, Room
from agls.room.declaration import admit_anything, complete_nothing, do_nothing_at_end, understand_nothing
from agls.room.exposed import NamedPackages

if TYPE_CHECKING:
    from agls.assembly.python_plugins import PythonRooms

OWN = frozenset(ROOMS)  # their tools and actions have names of their own
_TAKEN = {*(room.name for room in ROOMS), *Config.model_fields, *AgentDefinition.model_fields}
_log = logging.getLogger(__name__)


class Rooms:
    """All rooms in their order. What is added or taken away counts from the next run on.

    `acting` are those that may offer actions (those that arrived do not say so), `in_runs` those that take
    part in runs; `screening`, `expanding` and `completing` are asked about what somebody types,
    `ending` at the end of sessions. The tuples
    stay the same objects until a room is added or taken away.
    """

    def __init__(self) -> None:
        self._arrived: dict[Arrivals, tuple[Room[Any], ...]] = {}
        self._named: Mapping[str, Mapping[str, Any]] = {}
        self._python: PythonRooms | None = None
        self._put_in_order()

    def _put_in_order(self) -> None:
        self.all = tuple(in_order(self._arrived))
        self.acting = tuple(room for room in self.all if room.has_actions or room not in OWN)
        self.in_runs = tuple(room for room in self.all if room.in_runs)
        self.screening = tuple(room for room in self.all if room.screen is not admit_anything)
        self.ending = tuple(room for room in self.all if room.at_end is not do_nothing_at_end)
        self.expanding = tuple(room for room in self.all if room.expand is not understand_nothing)
        self.completing = tuple(room for room in self.all if room.complete is not complete_nothing)

    def __iter__(self) -> Iterator[Room[Any]]:
        """Iterate over the rooms, the first outermost."""
        return iter(self.all)

    def add(self, room: Room[Any], place: Arrivals = PLUGINS) -> Callable[[], None]:
        """Add a room behind those that arrived at the same place.

        **Returns** a function that takes it away again. **Raises** `ConfigError` when its name is taken, or
        when it needs what there is not.
        """
        if room.name in _TAKEN or any(room.name == other.name for other in self):
            raise ConfigError(f"there is a room or a setting called {room.name!r}: choose another name")
        if missing := [port.__name__ for port in room.needs if port not in PORTS]:
            raise ConfigError(f"the room {room.name!r} needs {missing[0]}, which is no port")
        self._set(place, (*self._arrived.get(place, ()), room))

        def leave() -> None:
            self._set(place, tuple(other for other in self._arrived[place] if other is not room))

        return leave

    @property
    def broken(self) -> Mapping[str, str]:
        """What is wrong with Python packages that the user named, by their names."""
        return self._python.broken if self._python else {}

    def follow(self, config: Config) -> None:
        """Have the rooms of those Python packages that the user names, and of no others."""
        named = config.exposed(NamedPackages).python
        if named == self._named:
            return
        from agls.assembly.python_plugins import PythonRooms  # noqa: PLC0415 - few users have any

        if self._python:
            self._python.leave()
        self._named, self._python = named, PythonRooms(self, named)

    def _set(self, place: Arrivals, rooms: tuple[Room[Any], ...]) -> None:
        self._arrived[place] = rooms
        self._put_in_order()


def distinct(feature: Feature, before: Sequence[Feature]) -> Feature:
    """Return the feature without tools and actions whose names rooms before it have, which is logged."""
    tools = {tool.spec.name for other in before for tool in other.tools}
    actions = {action.spec.name for other in before for action in other.actions}
    offered = [*((tool, tools) for tool in feature.tools), *((action, actions) for action in feature.actions)]
    for one, taken in offered:
        if one.spec.name in taken:
            _log.warning("%s: %s is left out, something else has this name", feature.name, one.spec.name)
    return replace(
        feature,
        tools=tuple(tool for tool in feature.tools if tool.spec.name not in tools),
        actions=tuple(action for action in feature.actions if action.spec.name not in actions),
    )
