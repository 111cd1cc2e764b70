"""The `[mentions]` section of the configuration."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """Whether `@path` in a prompt points at a file, and how many of them one prompt may have."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    enabled: bool = True
    most: Annotated[int, Field(ge=1, le=1_000)] = 50
