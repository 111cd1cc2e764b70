"""The `[instructions]` section of the configuration."""

from collections.abc import Sequence
from typing import Self

from pydantic import BaseModel, ConfigDict, PositiveInt

from agls.features.instructions.prompt import SHORT, Sources

CHARACTERS = 4  # of a token, about


class Settings(BaseModel):
    """What the system prompt is made of.

    `header` stands in front of every agent's and every phase's prompt. `system` replaces the built-in prompt,
    `append` follows it, `override` stands in place of all but the header, instruction files included.
    `file_limit` is in characters per file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    header: str = ""
    system: str = ""
    append: str = ""
    override: str = ""
    project_files: bool = True
    file_limit: PositiveInt = 32_000

    def sources(self, user: str, roots: Sequence[str]) -> Sources:
        """What a prompt is made of, with the user's own instructions."""
        return Sources(self.header, self.system, self.append, self.override, user, roots)

    def said_by(self, prompt: str) -> Self:
        """The same for an agent with a prompt of its own ("" for none)."""
        return self.model_copy(update={"system": prompt}) if prompt else self

    def short(self, window: int) -> Self:
        """The same for a model of so many tokens: a short prompt, and no file over a fifth of them."""
        limit = min(self.file_limit, max(window * CHARACTERS // 5, 1))
        return self.model_copy(update={"system": self.system or SHORT, "file_limit": limit})
