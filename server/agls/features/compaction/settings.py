"""The `[compaction]` section of the configuration."""

from typing import Annotated

from pydantic import ConfigDict, Field, NonNegativeFloat, PositiveInt

from agls.room import Table


class Settings(Table):
    """When and how the model's context is shortened: not at all when it is not `enabled`.

    `at` is the share of the model's window that may be filled (0: never, but for a request that did not fit).
    `tier` is the tier or model that writes the summaries. After `idle_minutes` without a request (0: never),
    and when the share is reached, old results are taken out; the newest `keep_results` stay.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    enabled: bool = True
    at: Annotated[float, Field(ge=0, le=1)] = 0.7
    tier: str = "fast"
    idle_minutes: NonNegativeFloat = 60
    keep_results: PositiveInt = 3
