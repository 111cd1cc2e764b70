"""From the order of the rooms to the features of one run."""

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from agls.assembly.arrivals import OWN, distinct
from agls.assembly.listed_actions import listed_actions
from agls.assembly.needs import BY_PLACE, OUTLINER, PDF_READER, PORTS, Need, run_tools
from agls.assembly.services import RunServices
from agls.config import AgentDefinition, Config
from agls.engine.feature import Feature, with_tools
from agls.frozen import frozen
from agls.room import Build, OnUse, Room
from agls.room.run_ports import RunTools

REMEMBERED = 16  # plans: of runs and of lists of actions, by configuration and agent


@frozen(eq=False)
class PlannedRoom:
    """How a room is built under one configuration, for one agent."""

    build: Build
    settings: object
    needs: tuple[Need, ...]
    arrived: bool


class Plans:
    """How rooms are built: the same for all runs with the same rooms, configuration and agent."""

    def __init__(self) -> None:
        self._known: deque[tuple[object, object, object, Sequence[PlannedRoom]]] = deque(maxlen=REMEMBERED)

    def of(
        self, rooms: Sequence[Room[Any]], config: Config, agent: AgentDefinition, *, for_list: bool = False
    ) -> Sequence[PlannedRoom]:
        """Return the plan of these rooms. The same objects have the same plan; none of them ever changes.

        What is built by a plan that is only `for_list` shows the actions of the rooms, and does nothing.
        """
        for known in self._known:
            if known[0] is rooms and known[1] is config and known[2] is agent:
                return known[3]
        plan = [
            _listed(room)
            if for_list and room in OWN and not room.actions_vary
            else _planned(room, agent.over(room, config.section(room)))
            for room in rooms
        ]
        self._known.append((rooms, config, agent, plan))
        return plan


def _planned(room: Room[Any], settings: object) -> PlannedRoom:
    build = room.build.function if isinstance(room.build, OnUse) else room.build
    return PlannedRoom(build, settings, tuple(PORTS[port] for port in room.needs), room not in OWN)


def _listed(room: Room[Any]) -> PlannedRoom:
    def build(settings: object) -> Feature:
        return Feature(name=room.name, actions=listed_actions(room.name))

    return PlannedRoom(build, None, (), arrived=False)


def load(rooms: Iterable[Room[Any]]) -> Iterator[None]:
    """Import what the first run of these rooms takes, with a break behind each part of it."""
    for room in rooms:
        for function in (room.build, room.expand, room.complete):
            if isinstance(function, OnUse):
                function.load()
        yield
    for implementation in (PDF_READER, OUTLINER):
        implementation.load()
        yield


class _Implementations(dict[Need, object]):
    """What implements the ports of a run: made when the first room needs it, and shared by the others."""

    def __init__(self, run: RunServices) -> None:
        super().__init__()
        self._run = run

    def __missing__(self, need: Need) -> object:
        made = need(self._run)
        if need not in BY_PLACE:
            self[need] = made
        return made


def features(plan: Iterable[PlannedRoom], run: RunServices) -> tuple[Feature, ...]:
    """Return the features of a run: the first is asked first and is outermost in the wrappers."""
    implementations = _Implementations(run)
    for room in plan:
        feature = room.build(room.settings, *map(implementations.__getitem__, room.needs))
        if feature:
            run.built.append(distinct(feature, run.built) if room.arrived else feature)
    names = run.tools
    made = tuple(run.built if names is None else [with_tools(each, names) for each in run.built])
    wanted = implementations.get(run_tools)
    if isinstance(wanted, RunTools) and wanted.wanted:
        wanted.all = {tool.spec.name: tool for feature in made for tool in feature.tools}
    run.built.clear()  # features refer to the services: a circle would be left to the garbage collector
    return made
