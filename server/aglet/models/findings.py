"""What a look at something showed: as it should be, or what to change."""

from dataclasses import dataclass
from typing import Literal

Status = Literal["pass", "warn", "fail"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `fix` says what to change when it is not as it should be."""

    topic: str
    status: Status
    text: str
    fix: str = ""
