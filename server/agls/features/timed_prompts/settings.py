"""The `[timed_prompts]` section of the configuration."""

from pydantic import ConfigDict, PositiveFloat, PositiveInt

from agls.room import Table


class Settings(Table):
    """How prompts are repeated by `/loop`, and how many of them and of those of `/schedule` may wait.

    `interval_s` holds where a prompt names none. A repetition ends after `max_runs`, or when it is
    `max_hours` old.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    interval_s: PositiveFloat = 600.0
    shortest_interval_s: PositiveFloat = 10.0
    max_runs: PositiveInt = 100
    max_hours: PositiveFloat = 24.0
    max_waiting: PositiveInt = 8
