"""The setting `recovery`: `recovery = "auto"`, or the same as the table `[recovery]`."""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, model_validator


class Settings(BaseModel):
    """What an editor does at its start with runs that a crash or a shutdown cut off."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    start: Literal["ask", "auto", "never"] = "ask"

    @model_validator(mode="before")
    @classmethod
    def _one_word(cls, data: Any) -> Any:
        return {"start": data} if isinstance(data, str) else data
