"""The `[guards]` section of the configuration."""

from pydantic import BaseModel, ConfigDict, PositiveInt


class Settings(BaseModel):
    """How many replies in a row are too many: a nudge comes then, another after as many again, then the end.

    `failed_calls` counts replies with nothing but calls that failed, `identical_calls` those with the same
    calls and the same results.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    failed_calls: PositiveInt = 3
    identical_calls: PositiveInt = 3
