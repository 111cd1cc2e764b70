"""The `[scratchpad]` section of the configuration."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Whether sessions have a folder for temporary files."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
