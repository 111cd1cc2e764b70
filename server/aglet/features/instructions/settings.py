"""The `[instructions]` section of the configuration."""

from pydantic import BaseModel, ConfigDict, PositiveInt


class Settings(BaseModel):
    """`system` replaces the built-in prompt, `append` follows it; `file_limit` is in characters per file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    system: str = ""
    append: str = ""
    project_files: bool = True
    file_limit: PositiveInt = 32_000
