"""The `[tools]` section of the configuration."""

from typing import Annotated

from pydantic import Field, NonNegativeInt, PositiveInt

from agls.room import Table

SHARE = 10  # percent of the model's window that the definitions of all tools may take


class Settings(Table):
    """Which tools a model is shown from the start; it finds the others with `find_tools`.

    `load` is `auto` (tools that are seldom needed wait, and those of the editor and of servers do, too, when
    all definitions together take more than 10 % of the model's window), `auto:N` (the same with N %), `all`
    (every tool is shown), or `search` (only the basic tools are). `found` is how many tools one search loads
    at most, `catalogue` how many characters the list of the waiting tools may have.
    """

    load: Annotated[str, Field(pattern=r"^(auto(:\d{1,2})?|all|search)$")] = "auto"
    found: PositiveInt = 5
    catalogue: NonNegativeInt = 4_000

    @property
    def share(self) -> int:
        """The percentage of `auto`."""
        return int(self.load.partition(":")[2] or SHARE)
