"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.facts import Replied
from agls.engine.feature import Feature, RunView
from agls.engine.ports import CallModel, ModelRequest, Reply, ToolSpec
from agls.engine.state import State
from agls.features.families.argument_names import with_our_names
from agls.features.families.settings import Settings
from agls.room.run_ports import RunInfo

NAME = "families"


def build(settings: Settings, run: RunInfo) -> Feature:
    """Build the feature."""
    replaced = settings.family(run.model, is_small=run.is_small).replaced

    def show_tools(tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        names = {tool.name for tool in tools}
        return [tool for tool in tools if replaced.get(tool.name) not in names]

    if not replaced:
        return Feature(name=NAME, around_model=around_model)
    return Feature(name=NAME, show_tools=show_tools, around_model=around_model)


async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
    """Read names of arguments that the model knows from elsewhere as ours, before anything sees them."""
    reply = await inner(request)
    if not (isinstance(reply, Replied) and reply.tool_calls):
        return reply
    shown = {tool.name: tool for tool in request.tools}
    calls = tuple(with_our_names(call, shown) for call in reply.tool_calls)
    return replace(reply, tool_calls=calls) if calls != reply.tool_calls else reply
