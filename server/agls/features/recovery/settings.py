"""The setting `recovery`: `recovery = "auto"`, or the same as the table `[recovery]`."""

from typing import Any, Literal

from pydantic import model_validator

from agls.room import Table


class Settings(Table):
    """What an editor does at its start with runs that a crash or a shutdown cut off."""

    start: Literal["ask", "auto", "never"] = "ask"

    @model_validator(mode="before")
    @classmethod
    def _one_word(cls, data: Any) -> Any:
        return {"start": data} if isinstance(data, str) else data
