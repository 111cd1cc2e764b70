"""The wiring of the room."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from agls.engine.facts import Replied
from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.ports import CallModel, ModelRequest, Reply, ToolSpec
from agls.engine.state import State
from agls.engine.vocabulary import ToolCall, ToolOutcome
from agls.features.families.argument_forms import with_our_forms
from agls.features.families.argument_names import with_our_names
from agls.features.families.patch_commands import as_patch, is_command
from agls.features.families.settings import Settings
from agls.features.families.tool_names import EDITORS, INSTEAD, with_our_tool
from agls.room.run_ports import RunInfo
from agls.room.shell_folder import folder_in

NAME = "families"


def as_ours(call: ToolCall, known: Collection[str], shown: Mapping[str, ToolSpec]) -> ToolCall:
    """Return the call with our names of its tool and its arguments, in the form that we give them."""
    return with_our_names(with_our_forms(with_our_tool(call, known), shown), shown)


def with_patches(calls: Sequence[ToolCall], known: Collection[str], folder: str) -> Sequence[ToolCall]:
    """Return the calls; commands that apply a patch as patches, up to one that may leave the folder."""
    made: list[ToolCall] = []
    for call in calls:
        is_led = any(map(is_command, made))
        made.append(call if is_led else as_patch(call, known, folder))
    return made


def build(settings: Settings, run: RunInfo) -> Feature:
    """Build the feature."""
    replaced = settings.family(run.model, is_small=run.is_small).replaced
    offered = set[str]()  # the names of all tools, as of the last request

    def show_tools(tools: Sequence[ToolSpec], state: State) -> Sequence[ToolSpec]:
        names = {tool.name for tool in tools}
        offered.clear()
        offered.update(names)
        return [tool for tool in tools if replaced.get(tool.name) not in names]

    async def around_model(request: ModelRequest, view: RunView, inner: CallModel) -> Reply:
        """Read names that the model knows from elsewhere as ours, before anything sees them."""
        reply = await inner(request)
        if not (isinstance(reply, Replied) and reply.tool_calls):
            return reply
        shown = {tool.name: tool for tool in request.tools}
        known = offered | shown.keys()
        patched = with_patches(reply.tool_calls, known, folder_in(view.state))
        calls = tuple(as_ours(call, known, shown) for call in patched)
        return replace(reply, tool_calls=calls) if calls != reply.tool_calls else reply

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        """Answer what no tool of ours does in its own way."""
        name = invocation.call.name
        if name in EDITORS and name not in offered:
            return ToolOutcome(INSTEAD.format(name=name), status="failed")
        return await inner(invocation)

    return Feature(name=NAME, show_tools=show_tools, around_model=around_model, around_tool=around_tool)
