"""The `[history]` section of the configuration."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Whether sessions get a title from the tier `fast`, when one is configured (`[tiers] fast`)."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    titles: bool = True
