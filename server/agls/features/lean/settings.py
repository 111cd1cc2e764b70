"""The `[lean]` section of the configuration."""

from pydantic import NonNegativeInt

from agls.room import Table


class Settings(Table):
    """Below how many tokens of context a model gets little to read (0: never), and the tools it then has."""

    below: NonNegativeInt = 16_384
    tools: tuple[str, ...] = ("read_file", "edit_file", "write_file", "grep", "shell")

    def applies(self, window: int | None) -> bool:
        """Whether a context of so many tokens is small; one that is unknown is not."""
        return window is not None and window < self.below
