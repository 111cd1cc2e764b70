"""The `[sampling]` section of the configuration, and of an agent."""

from typing import Annotated

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """How a model chooses its words, in place of what `[models.NAME]` says; not sent where nothing is set.

    An agent has its own, in `[agents.NAME.sampling]`. A model that takes neither is asked without them.
    """

    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    top_p: Annotated[float, Field(ge=0, le=1)] | None = None
