"""The `[follow_along]` section of the configuration."""

from agls.room import Table


class Settings(Table):
    """Whether the user is shown where the agent works, in an editor that does so."""

    enabled: bool = True
