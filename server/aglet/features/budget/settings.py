"""The `[budget]` section of the configuration: limits per run, unlimited where nothing is said."""

from pydantic import BaseModel, ConfigDict, NonNegativeFloat, NonNegativeInt


class Settings(BaseModel):
    """Limits of one run. 0 means none at all: `max_model_calls = 0` makes no call. Cost is US dollars."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    max_turns: NonNegativeInt | None = None
    max_model_calls: NonNegativeInt | None = None
    max_tool_calls: NonNegativeInt | None = None
    max_total_tokens: NonNegativeInt | None = None
    max_input_tokens: NonNegativeInt | None = None
    max_output_tokens: NonNegativeInt | None = None
    max_cost_usd: NonNegativeFloat | None = None
