"""Findings of the doctor on one topic."""

from typing import Literal

from agls.frozen import frozen

Status = Literal["pass", "warn", "fail"]


@frozen
class Finding:
    """The result of one check of a topic; `fix` says what to change unless it passed."""

    topic: str
    status: Status
    text: str
    fix: str = ""
