"""The room has no settings: what keeps the user's keys cannot be switched off by a file."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Nothing can be set."""

    model_config = ConfigDict(extra="forbid", frozen=True)
