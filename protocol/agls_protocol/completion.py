"""Completion of what somebody types into a prompt. Written as `items.py` is."""

from typing import Literal

from agls_protocol.record import record


@record
class CompleteParams:
    """What is typed, and where in it: `cursor` counts from its beginning, in units of the position encoding.

    It is for a session, for a new one of the folder `cwd` (a URI), or else for one of the open folder.
    """

    text: str
    cursor: int
    session_id: str = ""
    cwd: str = ""


@record
class CompletionItem:
    """A text that may take the place of what stands from `start` up to `end`, counted as `cursor` is."""

    label: str
    kind: Literal["file", "folder", "symbol", "source", "command", "argument", "value"]
    insert_text: str
    start: int
    end: int
    detail: str | None = None


@record
class CompleteResult:
    """The best come first. When it `isIncomplete`, there are more: ask again with the next letter."""

    items: list[CompletionItem]
    is_incomplete: bool
