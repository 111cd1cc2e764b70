"""The wiring of the room."""

import logging
from collections.abc import Awaitable, Callable

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect
from agls.engine.vocabulary import ToolOutcome

Make = Callable[[], Awaitable[object]]
CHANGES = frozenset({Effect.WRITES, Effect.EXECUTES})
_log = logging.getLogger(__name__)


def build(make: Make) -> Feature:
    """The feature of one run: `make` makes the folder when it is not there, or raises `OSError`."""
    asked: list[bool] = []

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if not asked and invocation.tool.spec.effects & CHANGES:
            asked.append(True)
            try:
                await make()
            except OSError as problem:  # the call may have no need of it; if it has, it will say so
                _log.warning("there is no scratch folder: %s", problem)
        return await inner(invocation)

    return Feature(name="scratchpad", around_tool=around_tool)
