"""The `[history]` section of the configuration."""

from agls.room import Table


class Settings(Table):
    """Whether sessions get a title from the tier `fast`, when one is configured (`[tiers] fast`)."""

    titles: bool = True
