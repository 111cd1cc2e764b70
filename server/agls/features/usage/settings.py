"""The `[usage]` section of the configuration."""

from typing import Annotated

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """The share of a limit at which a run says once that it comes near; 1 means never."""

    warn_at: Annotated[float, Field(gt=0, le=1)] = 0.8
