"""From the order of the rooms to the features of one run."""

from collections.abc import Iterable
from typing import Any

from agls.assembly.arrivals import distinct
from agls.assembly.needs import PORTS
from agls.assembly.services import RunServices
from agls.engine.feature import Feature, with_tools
from agls.order import ROOMS
from agls.room import Room

_OWN = frozenset(ROOMS)  # their tools and actions have names of their own


def features(rooms: Iterable[Room[Any]], run: RunServices) -> tuple[Feature, ...]:
    """Return the features of a run: the first is asked first and is outermost in the wrappers."""
    for room in rooms:
        settings = run.agent.over(room, run.config.section(room))
        feature = room.build(settings, *[PORTS[port](run) for port in room.needs])
        if feature:
            run.built.append(feature if room in _OWN else distinct(feature, run.built))
    made = tuple([with_tools(feature, run.agent.tools) for feature in run.built])
    run.built.clear()  # features refer to the services: a circle would be left to the garbage collector
    return made
