"""The `[continuation]` section of the configuration."""

from pydantic import BaseModel, ConfigDict, NonNegativeInt


class Settings(BaseModel):
    """How often a reply that was cut at the output limit is continued in one run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    continuations: NonNegativeInt = 3
