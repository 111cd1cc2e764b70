"""The wiring of the room."""

from collections.abc import Sequence

from agls.engine.feature import Feature
from agls.engine.ports import ToolSpec
from agls.engine.state import State
from agls.features.families.settings import Settings
from agls.room.run_ports import RunInfo

NAME = "families"


def build(settings: Settings, run: RunInfo) -> Feature | None:
    """Build the feature of a run whose model is offered fewer tools than there are."""
    replaced = settings.family(run.model, is_small=run.is_small).replaced
    if not replaced:
        return None

    def show_tools(tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        names = {tool.name for tool in tools}
        return [tool for tool in tools if replaced.get(tool.name) not in names]

    return Feature(name=NAME, show_tools=show_tools)
