"""The configuration section `search`."""

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """What a search may cost.

    Files over `max_file_bytes` are searched line by line, and not for matches that span lines; those over 20
    times of that only where one is named as path.
    """

    timeout_s: float = Field(default=30, gt=0, description="seconds one search may take")
    max_file_bytes: int = Field(default=5_000_000, ge=1)
    line_characters: int = Field(default=400, ge=80, description="characters shown of one long line")
    output_characters: int = Field(default=40_000, ge=1_000)
