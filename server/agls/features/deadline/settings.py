"""The `[deadline]` section of the configuration. The seconds of a run are a limit: `[budget] max_seconds`."""

from pydantic import ConfigDict, PositiveFloat

from agls.room import Table


class Settings(Table):
    """The most seconds that a run with a critic can get, unless its own limit is above that: 6 hours."""

    model_config = ConfigDict(allow_inf_nan=False)

    ceiling: PositiveFloat = 21_600.0
