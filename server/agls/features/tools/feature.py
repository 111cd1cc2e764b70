"""The wiring of the room."""

from collections.abc import Sequence
from dataclasses import replace

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import ToolSpec
from agls.engine.state import State
from agls.engine.vocabulary import ToolOutcome
from agls.features.tools.find_tools import load, tool, with_arguments, work_in
from agls.features.tools.settings import Settings
from agls.features.tools.sorting import sort
from agls.features.tools.waiting import ROOM, found_in
from agls.room.run_ports import RunInfo


def build(settings: Settings, run: RunInfo) -> Feature | None:
    """Build the feature; a model with a small context has few tools, and none that waits."""
    if run.is_small or settings.load == "all":
        return None
    offered = tool()
    shown, seldom = list[ToolSpec](), dict[str, ToolSpec]()  # as of the last request; `seldom` wait

    def show_tools(tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        sorted_tools = sort(settings, run.window, tools)
        shown[:] = sorted_tools.shown
        seldom.clear()
        seldom.update(sorted_tools.seldom)
        found = [seldom[name] for name in found_in(state) if name in seldom]
        return [*sorted_tools.shown, *found]  # behind what was there before, which stays as it was

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        spec = invocation.tool.spec
        if invocation.tool is offered:
            work = work_in(view, settings, tuple(seldom.values()), tuple(shown))
            return await inner(replace(invocation, tool=tool(work)))
        if spec.name not in seldom or spec.name in found_in(view.state):
            return await inner(invocation)
        load(view, [spec.name])
        outcome = await inner(invocation)
        return replace(outcome, text=with_arguments(outcome, spec)) if outcome.is_error else outcome

    return Feature(name=ROOM, tools=(offered,), around_tool=around_tool, show_tools=show_tools)
