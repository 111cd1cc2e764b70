"""The wiring of the room."""

import logging

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import Effect
from agls.engine.vocabulary import ToolOutcome
from agls.features.scratchpad.settings import Settings
from agls.room.session_ports import ScratchFolder

CHANGES = frozenset({Effect.WRITES, Effect.EXECUTES})
_log = logging.getLogger(__name__)


def build(settings: Settings, folder: ScratchFolder) -> Feature | None:
    """Build the feature of one run: the folder is made before the first call that may need it."""
    if not settings.enabled:
        return None
    asked: list[bool] = []

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        if not asked and invocation.tool.spec.effects & CHANGES:
            asked.append(True)
            try:
                await folder.make()
            except OSError as problem:  # the call may have no need of it; if it has, it will say so
                _log.warning("there is no scratch folder: %s", problem)
        return await inner(invocation)

    return Feature(name="scratchpad", around_tool=around_tool)
