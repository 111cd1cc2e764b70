"""The configuration section `checkpoints`."""

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """What is kept of files before they are changed, and for how long."""

    max_file_bytes: int = Field(default=10_000_000, ge=0, description="larger files are not kept")
    max_files: int = Field(default=200, ge=0, description="files that are looked at around a command")
    keep_days: float = Field(
        default=30, ge=0, description="days for which contents that no session refers to are kept"
    )
    max_bytes: int = Field(
        default=2_000_000_000, ge=0, description="bytes of these; above that the oldest are removed earlier"
    )
