"""The wiring of the room."""

import logging
import re
from dataclasses import replace
from hashlib import sha256

from agls.engine.feature import CallTool, Feature, Invocation, RunView
from agls.engine.vocabulary import KeptOutput, ToolCall, ToolOutcome
from agls.features.outputs.settings import Settings
from agls.room.ports import OutputFolder, OutputLimits
from agls.toolkit import shorten

LOST = "They are not kept: ask for less."
KEPT = "All of it is in {}: read that file from line {} on, or search in it."
REMARKS = 4_096  # bytes that a tool may add to an output which it cut itself
_log = logging.getLogger(__name__)


def build(settings: Settings, folder: OutputFolder, limits: OutputLimits) -> Feature:
    """Build the feature of one run. It stands in front of `redaction`: what is kept has no keys in it."""

    async def around_tool(invocation: Invocation, view: RunView, inner: CallTool) -> ToolOutcome:
        outcome, own = await inner(invocation), invocation.tool.spec.output_limit
        limit = limits.of(own)
        if own == 0 or len(outcome.text) <= limit:
            return outcome
        whole, missing = _bounded(outcome.text, limits.kept)
        name = file_name(invocation.call)
        path = await _keep(folder, name, whole, limits.kept_in_all)
        rest = KEPT.format(path, whole.count("\n", 0, (limit + 1) // 2) + 1) if path else LOST
        text, left_out = shorten(whole, limit, rest)
        missing += outcome.truncated
        kept = KeptOutput(name, missing) if path else None
        return replace(outcome, text=text, truncated=left_out + missing, kept=kept)

    return Feature(name="outputs", around_tool=around_tool)


def file_name(call: ToolCall) -> str:
    """Return the name of the file for the output of a call: no other call of the session has it."""
    tool = re.sub("[^A-Za-z0-9_-]", "_", call.name[:40])
    return f"{tool}-{sha256(call.call_id.encode('utf-8', 'replace')).hexdigest()[:12]}.txt"


def _bounded(text: str, most: int) -> tuple[str, int]:
    """Return an output in about as many bytes as are kept of one, and the bytes that are left out."""
    size = len(text.encode("utf-8", "replace"))
    if size <= most + REMARKS:
        return text, 0
    return shorten(text, most * len(text) // size, LOST)


async def _keep(folder: OutputFolder, name: str, text: str, most: int) -> str:
    try:
        return await folder.keep(name, text, most)
    except OSError as problem:  # the model gets head and tail all the same
        _log.warning("an output could not be kept: %s", problem)
        return ""
