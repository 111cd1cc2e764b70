"""The `[memory]` section of the configuration."""

from pydantic import NonNegativeInt

from agls.room import Table

CHARACTERS = 4  # of a token, about
SHARE = 40  # the part of a small context that each file may fill is one in so many


class Settings(Table):
    """What models remember for you in every session.

    `enabled` is whether there is a memory at all, `propose` whether the model may propose entries (you are
    asked about each). The model reads `limit` characters of each file (yours, the project's), the newest
    entries first.
    """

    enabled: bool = True
    propose: bool = True
    limit: NonNegativeInt = 8_000

    def within(self, window: int | None, *, is_small: bool) -> int:
        """**Returns** the characters of each file for a model with a window of so many tokens."""
        return min(self.limit, window * CHARACTERS // SHARE) if is_small and window else self.limit
