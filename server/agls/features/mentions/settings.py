"""The `[mentions]` section of the configuration."""

from typing import Annotated

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """Whether `@path` in a prompt points at a file, and how many of them one prompt may have."""

    enabled: bool = True
    most: Annotated[int, Field(ge=1, le=1_000)] = 50
