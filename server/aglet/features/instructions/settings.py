"""The `[instructions]` section of the configuration."""

from typing import Self

from pydantic import BaseModel, ConfigDict, PositiveInt

from aglet.features.instructions.prompt import SHORT

CHARACTERS = 4  # of a token, about


class Settings(BaseModel):
    """`system` replaces the built-in prompt, `append` follows it; `file_limit` is in characters per file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    system: str = ""
    append: str = ""
    project_files: bool = True
    file_limit: PositiveInt = 32_000

    def said_by(self, prompt: str) -> Self:
        """The same for an agent with a prompt of its own ("" for none)."""
        return self.model_copy(update={"system": prompt}) if prompt else self

    def short(self, window: int) -> Self:
        """The same for a model of so many tokens: a short prompt, and no file over a fifth of them."""
        limit = min(self.file_limit, max(window * CHARACTERS // 5, 1))
        return self.model_copy(update={"system": self.system or SHORT, "file_limit": limit})
