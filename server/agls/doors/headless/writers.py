"""Writers of an answer to a terminal, piece by piece."""

import sys
from typing import Protocol

from agls.doors.headless.screen import can_change, has_colours
from agls.views.escape import escape_controls


class TextWriter(Protocol):
    """Takes the pieces of a text and returns the part that can be written; `unwritten` is the rest.

    Between two pieces may stand another text, a `whole` one.
    """

    @property
    def unwritten(self) -> str: ...
    def feed(self, text: str) -> str: ...
    def finish(self) -> str: ...
    def whole(self, text: str) -> str: ...


class PlainWriter:
    """Writes every piece as it comes, and the end of the last line."""

    unwritten = ""

    def __init__(self) -> None:
        self._last = "\n"  # the character before the cursor

    def feed(self, text: str) -> str:
        """Return the piece."""
        self._last = text[-1:] or self._last
        return escape_controls(text)

    def finish(self) -> str:
        """Return the end of the line, where it has none."""
        last, self._last = self._last, "\n"
        return "" if last == "\n" else "\n"

    def whole(self, text: str) -> str:
        """Return the text, on lines of its own."""
        return f"{self.finish()}{self.feed(text)}{self.finish()}"


def writer_at_hand() -> TextWriter | None:
    """Return the writer for standard output; `None` where that is no terminal."""
    if not sys.stdout.isatty():
        return None
    if not can_change(sys.stdout):
        return PlainWriter()
    from agls.doors.headless.terminal_markdown import Rendered  # noqa: PLC0415 - only a terminal needs the library

    return Rendered(colours=has_colours(sys.stdout))
