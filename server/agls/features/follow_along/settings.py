"""The `[follow_along]` section of the configuration."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Whether the user is shown where the agent works, in an editor that does so."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
