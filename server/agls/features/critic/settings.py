"""The `[critic]` section of the configuration."""

from pydantic import ConfigDict, NonNegativeInt, PositiveFloat, PositiveInt

from agls.room import Table


class Settings(Table):
    """When the critic wakes, what it may give, and who it is. Times are seconds.

    Without `model` (a tier or the name of a model) it goes by rules alone. `deadline` is the time it has to
    bring a run to its end before it extends; where it is not set the ceiling (`[deadline]`) is.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    enabled: bool = False
    wake_after: PositiveFloat = 90.0
    patience: PositiveInt = 3
    extend_by: PositiveFloat = 900.0
    more_turns: NonNegativeInt = 0
    deadline: PositiveFloat | None = None
    model: str = ""
