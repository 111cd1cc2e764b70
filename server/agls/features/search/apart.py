"""Matching in a process of its own, which is ended when a regular expression runs away."""

import json
import re
import sys
from asyncio import to_thread
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from agls.engine.ports import Command, Workspace, WorkspaceError
from agls.frozen import frozen

from .literals import required

PROGRAM = (sys.executable, "-I", "-S", "-W", "ignore", str(Path(__file__).with_name("matcher.py")))
ANSWER_BYTES = 4_000_000


@frozen
class Hits:
    """How many lines of a text match, and the first of their numbers, counted from 0."""

    count: int
    lines: Sequence[int]


@frozen
class Matcher:
    """One regular expression. Cancelling a question ends its process; after `seconds` it ends by itself."""

    workspace: Workspace
    expression: str
    ignore_case: bool
    seconds: float

    async def files(self, names: Sequence[str], max_bytes: int) -> list[str]:
        """The files that may match as they are on disk, in order. Raises `WorkspaceError`.

        They are opened by name: what they hold is for the workspace to say.
        """
        needed = [text.lower() for text in required(self.expression, ignore_case=self.ignore_case)]
        ripgrep = self.workspace.which("rg")
        asked: dict[str, object] = {
            "names": names,
            "needed": needed,
            "max_bytes": max_bytes,
            "ripgrep": ripgrep,
        }
        places: list[int] = await self._ask(asked)
        return [names[place] for place in places]

    async def lines(self, texts: Sequence[str], cap: int, *, first_only: bool) -> list[Hits]:
        """The hits of each text, `cap` lines in all; with `first_only` one each. Raises `WorkspaceError`."""
        answer = await self._ask({"texts": texts, "cap": cap, "first_only": first_only})
        return [Hits(count, lines) for count, lines in answer]

    async def _ask(self, question: dict[str, object]) -> Any:
        flags = int(re.IGNORECASE) if self.ignore_case else 0
        text = await to_thread(json.dumps, {"pattern": self.expression, "flags": flags, **question})
        command = Command(PROGRAM, timeout=self.seconds, keep=ANSWER_BYTES, stdin=text)
        finished = await self.workspace.run(command, unheard)
        if finished.exit_code != 0:
            raise WorkspaceError(f"The search failed: {finished.output.strip()[-500:]}")
        return json.loads(finished.output)


def unheard(output: str) -> None:
    """The answer is read when the program has ended; nobody needs to see it."""
