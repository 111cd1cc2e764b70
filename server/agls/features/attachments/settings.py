"""The `[attachments]` section of the configuration."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Settings(BaseModel):
    """The largest file that can be attached, in bytes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    max_bytes: Annotated[int, Field(ge=1, le=50_000_000)] = 20_000_000
