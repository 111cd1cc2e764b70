"""Outlines for a run: the port `Outliner` over a program of its own."""

import asyncio
import json
from collections.abc import Sequence
from importlib.util import find_spec

from agls.engine.ports import WorkspaceError
from agls.engine.vocabulary import JsonObject
from agls.frozen import frozen
from agls.outline.program import GRAMMARS
from agls.room.code_ports import OutlinedText
from agls.workspace.isolated import IsolatedProgram, ProgramFailed
from agls.workspace.processes import Processes

_LIBRARIES = ("tree_sitter", *dict.fromkeys(module for module, _ in GRAMMARS.values()))
PROGRAM = IsolatedProgram("agls.outline.program", _LIBRARIES)
SPARE = 5.0  # seconds for the start of the program, and for the text it has begun with


@frozen
class ProgramOutliner:
    """Implements `Outliner`."""

    processes: Processes

    def knows(self, grammar: str) -> bool:
        """Whether there is such a grammar, and its library is installed."""
        module, _ = GRAMMARS.get(grammar, ("", ""))
        return bool(module and find_spec("tree_sitter") and find_spec(module))

    async def __call__(
        self, texts: Sequence[OutlinedText], seconds: float
    ) -> Sequence[Sequence[JsonObject] | None]:
        """Return the symbols of each text. **Raises** `WorkspaceError`. Cancelling ends the program."""
        question = await asyncio.to_thread(_question, texts, seconds)
        try:
            return await PROGRAM.answer(self.processes, question, seconds + SPARE)
        except ProgramFailed as problem:
            why = f"within {seconds:g} seconds" if problem.timed_out else "within its memory limit"
            raise WorkspaceError(f"No outline could be made {why}.") from None


def _question(texts: Sequence[OutlinedText], seconds: float) -> str:
    files = [{"grammar": each.grammar, "text": each.text} for each in texts]
    return json.dumps({"seconds": seconds, "files": files})
