"""The `[client_tools]` section of the configuration."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Whether the model may use the tools that the client brings."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
