"""The `[scratchpad]` section of the configuration."""

from agls.room import Table


class Settings(Table):
    """Whether sessions have a folder for temporary files."""

    enabled: bool = True
