"""The `[instructions]` section of the configuration."""

from collections.abc import Sequence
from typing import Self

from pydantic import NonNegativeInt, PositiveInt

from agls.features.instructions.prompt import SHORT, Sources
from agls.room import Table
from agls.room.run_ports import RunInfo

CHARACTERS = 4  # of a token, about


class Settings(Table):
    """What the system prompt is made of, and which instruction files count.

    `header` stands in front of every agent's and every phase's prompt. `system` replaces the built-in prompt,
    `append` follows it, `override` stands in place of all but the header, instruction files included.
    `project_files` is whether the files of trusted folders count, `claude_home` whether ~/.claude/CLAUDE.md
    does where you have no AGENTS.md of your own. All files have `limit` characters together, and each
    `file_limit`.
    """

    header: str = ""
    system: str = ""
    append: str = ""
    override: str = ""
    project_files: bool = True
    claude_home: bool = False
    limit: NonNegativeInt = 40_000
    file_limit: PositiveInt = 32_000

    def sources(self, roots: Sequence[str]) -> Sources:
        """**Returns** what a prompt is made of besides files."""
        return Sources(self.header, self.system, self.append, self.override, tuple(roots))

    def for_run(self, run: RunInfo) -> Self:
        """**Returns** the same for this run: with the prompt of its agent, and short for a small context.

        Short means the short prompt, and files with no more than a fifth of the context.
        """
        changed: dict[str, object] = {"system": run.prompt} if run.prompt else {}
        if run.advice:
            changed["append"] = f"{run.advice}\n\n{self.append}".strip()
        if run.is_small and run.window is not None:
            limit = max(run.window * CHARACTERS // 5, 1)
            limits = {"limit": min(self.limit, limit), "file_limit": min(self.file_limit, limit)}
            changed = {"system": self.system or SHORT} | limits | changed
        return self.model_copy(update=changed) if changed else self
