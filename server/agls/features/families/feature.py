"""The wiring of the room."""

from dataclasses import replace

from agls.engine.feature import Feature, RunView
from agls.engine.ports import CallModel, ModelRequest, Reply
from agls.features.families.settings import Settings
from agls.room.ports import RunInfo

NAME = "families"


def build(settings: Settings, run: RunInfo) -> Feature | None:
    """Build the feature of a run whose model is offered fewer tools than there are."""
    replaced = settings.family(run.model, is_small=run.is_small).replaced
    if not replaced:
        return None

    async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        names = {tool.name for tool in request.tools}
        kept = tuple(tool for tool in request.tools if replaced.get(tool.name) not in names)
        return await inner(replace(request, tools=kept))

    return Feature(name=NAME, around_model=around_model)
