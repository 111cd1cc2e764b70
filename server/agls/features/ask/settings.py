"""The configuration section `ask`."""

from pydantic import Field

from agls.room import Table
from agls.room.prepared_answers import PreparedAnswer


class Settings(Table):
    """Whether the model may ask the user, for how long it waits, and what is answered without them."""

    enabled: bool = True
    timeout_s: float = Field(
        default=0, ge=0, le=86_400, description="seconds to wait for an answer; 0: for ever"
    )
    answers: tuple[PreparedAnswer, ...] = Field(default=(), description="prepared answers to questions")
