"""A long output in part, and the file with all of it, or with what was kept of it."""

import logging
from dataclasses import replace

from agls.engine.vocabulary import KeptOutput, ToolOutcome
from agls.frozen import frozen
from agls.room.session_ports import OutputFolder, OutputLimits
from agls.toolkit import shorten

LOST = "They are not kept: ask for less."
WHOLE, PART = "All of it is in", "What was kept of it is in"
KEPT = "{} {}: read that file from line {} on, or search in it."
REMARKS = 4_096  # bytes that a tool may add to an output which it cut itself
_log = logging.getLogger(__name__)


@frozen
class WholeOutputs:
    """Where a session keeps long outputs whole, and how much of them."""

    folder: OutputFolder
    limits: OutputLimits

    async def in_part(self, outcome: ToolOutcome, name: str, limit: int) -> ToolOutcome:
        """Return the outcome with head and tail of its output, in about `limit` characters.

        The whole is kept as the file `name`, which is named between the two.
        """
        if len(outcome.text) <= limit:
            return outcome
        whole, missing = _bounded(outcome.text, self.limits.kept)
        path = await self.keep(name, whole)
        missing += outcome.truncated
        where = PART if missing else WHOLE
        rest = KEPT.format(where, path, whole.count("\n", 0, (limit + 1) // 2) + 1) if path else LOST
        text, left_out = shorten(whole, limit, rest)
        kept = KeptOutput(name, missing) if path else None
        return replace(outcome, text=text, truncated=left_out + missing, kept=kept)

    async def keep(self, name: str, text: str) -> str:
        """Keep a text as a new file. **Returns** its path, "" where it cannot be kept."""
        try:
            return await self.folder.keep(name, text, self.limits.kept_in_all)
        except OSError as problem:
            _log.warning("%s could not be kept: %s", name, problem)
            return ""


def _bounded(text: str, most: int) -> tuple[str, int]:
    """Return an output in about as many bytes as are kept of one, and the bytes that are left out."""
    size = len(text.encode("utf-8", "replace"))
    if size <= most + REMARKS:
        return text, 0
    return shorten(text, most * len(text) // size, LOST)
