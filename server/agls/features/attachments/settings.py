"""The `[attachments]` section of the configuration."""

from typing import Annotated

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """The largest file that can be attached, in bytes."""

    max_bytes: Annotated[int, Field(ge=1, le=50_000_000)] = 20_000_000
