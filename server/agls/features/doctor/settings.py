"""The `[doctor]` section of the configuration."""

from typing import Annotated

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """How many seconds a model may take for an answer before that is a failure."""

    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 60.0
