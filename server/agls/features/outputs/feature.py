"""The wiring of the room."""

import re
from hashlib import sha256

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import ToolCall, ToolOutcome
from agls.features.outputs.settings import Settings
from agls.room.session_ports import OutputFolder, OutputLimits
from agls.room.whole_outputs import WholeOutputs


def build(settings: Settings, folder: OutputFolder, limits: OutputLimits) -> Feature:
    """Build the feature of one run. It stands in front of `redaction`: what is kept has no keys in it."""
    whole = WholeOutputs(folder, limits)

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        outcome, own = await inner(invocation), invocation.tool.spec.output_limit
        if own == 0:
            return outcome
        return await whole.in_part(outcome, file_name(invocation.call), limits.of(own))

    return Feature(name="outputs", around_tool=around_tool)


def file_name(call: ToolCall) -> str:
    """Return the name of the file for the output of a call: no other call of the session has it."""
    tool = re.sub("[^A-Za-z0-9_-]", "_", call.name[:40])
    return f"{tool}-{sha256(call.call_id.encode('utf-8', 'replace')).hexdigest()[:12]}.txt"
