"""The configuration section `ask`."""

from pydantic import BaseModel, ConfigDict


class Settings(BaseModel):
    """Whether the model may ask the user; when nobody can answer, it never may."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
