"""The `[skills]` section of the configuration."""

from pydantic import NonNegativeInt

from agls.room import Table

PER_TOKEN = 3.6  # characters
PERCENT = 2  # of the model's window


class Preload(Table):
    """What the definition of an agent may say of skills: which it has from the begin."""

    preload: tuple[str, ...] = ()


class Settings(Table):
    """Skills: folders with instructions that the model loads when a task needs them.

    With `other_tools` the skills that were written for other agents count as well (docs/skills.md). The list
    that the model gets has at most `catalogue` characters, and at most 2 % of what the model can see. The
    skills to `preload` are loaded when a session begins.
    """

    enabled: bool = True
    other_tools: bool = True
    catalogue: NonNegativeInt = 8_000
    preload: tuple[str, ...] = ()

    def within(self, window: int | None) -> int:
        """**Returns** how many characters the list may have for a model that can see so many tokens."""
        return (
            self.catalogue if window is None else min(self.catalogue, int(window * PER_TOKEN * PERCENT / 100))
        )
