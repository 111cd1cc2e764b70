"""The `[environment]` section of the configuration."""

from pydantic import NonNegativeInt

from agls.room import Table


class Settings(Table):
    """What the model reads about the place it works in.

    `git` is whether git is asked for uncommitted files and the last commits of a trusted folder, `listed` how
    many names in the folder the model reads, and `changed` how many uncommitted files.
    """

    git: bool = True
    listed: NonNegativeInt = 40
    changed: NonNegativeInt = 10
