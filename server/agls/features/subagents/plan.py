"""Pieces of work that depend on each other: what is wrong with the plan, and in which order it is done."""

from collections.abc import Iterator, Sequence
from graphlib import CycleError, TopologicalSorter

from pydantic import BaseModel, ConfigDict, Field, PositiveInt


class PlannedTask(BaseModel):
    """One piece of work."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: str = Field(min_length=1, description="all that the helper needs to know")
    label: str = Field(default="", max_length=60, description="its name here; task-N without one")
    agent: str = Field(default="", description="which agent does it; a helper like yourself without one")
    depends_on: tuple[str, ...] = Field(
        default=(), description="labels of tasks that must be completed first; their answers are handed on"
    )
    resume: str = Field(default="", description="session id of an earlier helper, which then goes on")
    max_turns: PositiveInt | None = None


def named(tasks: Sequence[PlannedTask]) -> dict[str, PlannedTask]:
    """Return the tasks by label. **Raises** `ValueError` when a label is used twice."""
    plan: dict[str, PlannedTask] = {}
    for number, task in enumerate(tasks, 1):
        label = task.label.strip() or f"task-{number}"
        if label in plan:
            raise ValueError(f"there are two tasks with the label {label!r}")
        plan[label] = task
    return plan


def batches(plan: dict[str, PlannedTask]) -> list[list[str]]:
    """Return the labels in the order in which they can be done: those of one batch side by side.

    **Raises** `ValueError`: a task depends on one that there is not, or on itself by way of others.
    """
    if problems := [*_strangers(plan)]:
        raise ValueError("; ".join(problems))
    sorter = TopologicalSorter({label: task.depends_on for label, task in plan.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        raise ValueError(f"these tasks wait for each other: {' <- '.join(error.args[1])}") from None
    order: list[list[str]] = []
    while ready := set(sorter.get_ready()):
        order.append([label for label in plan if label in ready])
        sorter.done(*ready)
    return order


def _strangers(plan: dict[str, PlannedTask]) -> Iterator[str]:
    known = ", ".join(plan)
    for label, task in plan.items():
        for other in task.depends_on:
            if other not in plan:
                yield f"{label!r} depends on {other!r}, which does not exist (there are: {known})"
