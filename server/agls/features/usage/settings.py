"""The `[usage]` section of the configuration."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """The share of a limit at which a run says once that it comes near; 1 means never."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    warn_at: Annotated[float, Field(gt=0, le=1)] = 0.8
