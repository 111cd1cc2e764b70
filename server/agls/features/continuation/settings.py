"""The `[continuation]` section of the configuration."""

from pydantic import NonNegativeInt

from agls.room import Table


class Settings(Table):
    """How often a reply that was cut at the output limit is continued in one run."""

    continuations: NonNegativeInt = 3
