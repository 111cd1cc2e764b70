"""The `[outputs]` section of the configuration."""

from pydantic import Field

from agls.room import Table
from agls.room.session_ports import OutputLimits

PER_TOKEN = 4  # characters of a token, about


class Settings(Table):
    """How much of one output of a tool a model gets, head and tail, and how much is kept to be read on."""

    window_share: float = Field(
        default=0.1, gt=0, le=1, description="part of the model's context that one output may fill"
    )
    least: int = Field(default=4_000, ge=1_000, description="characters that every model gets")
    most: int = Field(
        default=60_000, ge=1_000, description="characters of tools that have no limit of their own"
    )
    keep_bytes: int = Field(
        default=4_000_000, ge=1_000, description="bytes of one output that are kept in the session's folder"
    )
    keep_bytes_in_all: int = Field(
        default=64_000_000, ge=1_000, description="bytes of all that a session keeps; the oldest go first"
    )

    def limits(self, window: int | None) -> OutputLimits:
        """Return the limits for a model that can see so many tokens."""
        share = None if window is None else max(self.least, int(window * self.window_share * PER_TOKEN))
        return OutputLimits(share, self.most, self.keep_bytes, self.keep_bytes_in_all)
