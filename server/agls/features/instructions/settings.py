"""The `[instructions]` section of the configuration."""

from collections.abc import Sequence
from typing import Self

from pydantic import PositiveInt

from agls.features.instructions.prompt import SHORT, Sources
from agls.room import Table
from agls.room.ports import RunInfo

CHARACTERS = 4  # of a token, about


class Settings(Table):
    """What the system prompt is made of.

    `header` stands in front of every agent's and every phase's prompt. `system` replaces the built-in prompt,
    `append` follows it, `override` stands in place of all but the header, instruction files included.
    `file_limit` is in characters per file.
    """

    header: str = ""
    system: str = ""
    append: str = ""
    override: str = ""
    project_files: bool = True
    file_limit: PositiveInt = 32_000

    def sources(self, user: str, roots: Sequence[str]) -> Sources:
        """What a prompt is made of, with the user's own instructions."""
        return Sources(self.header, self.system, self.append, self.override, user, roots)

    def for_run(self, run: RunInfo) -> Self:
        """**Returns** the same for this run: with the prompt of its agent, and short for a small context.

        Short means the short prompt, and no file over a fifth of the context.
        """
        changed: dict[str, object] = {"system": run.prompt} if run.prompt else {}
        if run.advice:
            changed["append"] = f"{run.advice}\n\n{self.append}".strip()
        if run.is_small and run.window is not None:
            limit = min(self.file_limit, max(run.window * CHARACTERS // 5, 1))
            changed = {"system": self.system or SHORT, "file_limit": limit} | changed
        return self.model_copy(update=changed) if changed else self
