"""What each child may spend, so that those that work side by side have no more together than their parent."""

from collections.abc import Callable
from dataclasses import replace
from math import ceil

from agls.engine.limits import KINDS, NOTHING, Totals, left
from agls.engine.spawning import Spawner
from agls.engine.vocabulary import Limits
from agls.features.subagents.delegates import Powers
from agls.features.subagents.lineage import Child

TASKS = "max_delegated_tasks"
APART = frozenset({"max_turns", "max_seconds"})  # a child's turns and time are not its parent's
TOGETHER = tuple(kind.field for kind in KINDS if kind.field not in APART)
NEEDED = tuple(field for field in TOGETHER if field not in {TASKS, "max_tool_calls"})  # to ask a model at all


class Shares:
    """Knows for one run what it has given to the children that work now, and what they may do (`powers`)."""

    def __init__(
        self, spawner: Spawner, rest: Callable[[], Limits], powers: Callable[[], Powers] = Powers
    ) -> None:
        self.spawner, self._rest = spawner, rest
        self.powers = powers
        self._given: dict[Child, tuple[Limits, Totals]] = {}

    def free(self) -> Limits:
        """Return the rest of the run's limits, without what the working children may still spend."""
        rest = self._rest()
        for child, (limits, before) in self._given.items():
            kept = left(limits, self._used_by(child).minus(before))
            free = {field: _less(getattr(rest, field), getattr(kept, field)) for field in TOGETHER}
            rest = replace(rest, **free)
        return rest

    def share(self, among: int, ahead: int) -> Limits:
        """Return an equal part of it for one of so many; tasks `ahead` are not given to children."""
        free = self.free()
        free = replace(free, max_delegated_tasks=_less(free.max_delegated_tasks, ahead))
        return replace(free, **{field: _part(getattr(free, field), among) for field in TOGETHER})

    def give(self, child: Child, limits: Limits) -> None:
        """It may spend this until it is back."""
        self._given[child] = limits, self._used_by(child)

    def take_back(self, child: Child) -> None:
        """It is back; what it did not spend is free again."""
        self._given.pop(child, None)

    def _used_by(self, child: Child) -> Totals:
        return self.spawner.state.used_by.get(child.session_id, NOTHING)


def is_enough(limits: Limits) -> bool:
    """Return whether a child with these limits could ask a model."""
    return all(getattr(limits, field) != 0 for field in NEEDED)


def _less(most: float | None, given: float | None) -> float | None:
    return None if most is None else max(0, most - (given or 0))


def _part(most: float | None, among: int) -> float | None:
    return ceil(most / among) if isinstance(most, int) else most and most / among
