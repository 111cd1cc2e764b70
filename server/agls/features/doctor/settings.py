"""The `[doctor]` section of the configuration."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """How many seconds a model may take for an answer before that is a failure."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
