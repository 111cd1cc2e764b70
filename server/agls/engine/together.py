"""Work side by side for features, which own no tasks."""

import asyncio
from collections.abc import Coroutine, Iterable
from typing import Any, TypeVar

Result = TypeVar("Result")


async def together(works: Iterable[Coroutine[Any, Any, Result]]) -> list[Result]:
    """Do all of it at once. When one raises, or the caller is cancelled, the others are cancelled.

    **Returns** the results in the order of the works.
    """
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(work) for work in works]
    return [task.result() for task in tasks]
