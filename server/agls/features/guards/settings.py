"""The `[guards]` section of the configuration."""

from pydantic import BaseModel, ConfigDict, PositiveInt


class Settings(BaseModel):
    """How many in a row are too many; the nudge comes then, and the stop after as many again."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    failed_calls: PositiveInt = 3
    identical_calls: PositiveInt = 3
