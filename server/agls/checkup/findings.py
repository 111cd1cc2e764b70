"""What a look at something showed: as it should be, or what to change."""

from typing import Literal

from agls.frozen import frozen

Status = Literal["pass", "warn", "fail"]


@frozen
class Finding:
    """One thing that was looked at; `fix` says what to change when it is not as it should be."""

    topic: str
    status: Status
    text: str
    fix: str = ""
