"""The configuration section `shell`."""

from typing import Literal

from pydantic import Field

from agls.room import Table


class Settings(Table):
    """How long a command may run, how much of its output is kept, and what is saved before it."""

    timeout_s: float = Field(default=120, gt=0, description="seconds a command gets when it asks for none")
    max_timeout_s: float = Field(default=3_600, gt=0, description="seconds a command may ask for")
    max_tasks: int = Field(default=8, ge=0, description="commands that may run in the background at once")
    task_timeout_s: float = Field(
        default=43_200, gt=0, description="seconds a command in the background may run"
    )
    at_time_limit: Literal["stop", "background"] = Field(
        default="stop",
        description="what becomes of a command that runs longer than it may: it is stopped, or it goes on in "
        "the background, as long as a task may run",
    )
    environment_bytes: int = Field(
        default=16_384, ge=0, description="variables that one command leaves to the next, names and values"
    )
    output_bytes: int = Field(default=32_768, ge=1_000, description="output that is kept for the model")
    save_before_commands: Literal["edited", "all", "never"] = Field(
        default="edited",
        description="what the editor saves before a command, which sees only the disk: files that the agent "
        "edited (you are asked once per session about your own changes), all of them, or nothing",
    )
