"""The room has no settings: whoever sees a change may keep or undo it."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Nothing can be set."""

    model_config = ConfigDict(extra="forbid", frozen=True)
