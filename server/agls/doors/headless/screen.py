"""Standard error as people see it: whole lines, and on a terminal one line that shows the progress."""

import shutil
from typing import TextIO

from agls.config.environment import process_environment
from agls.doors.harmless import harmless
from agls.doors.headless.pipe import Pipe


def can_change(file: TextIO) -> bool:
    """Whether this is a terminal on which a line can be written anew."""
    return file.isatty() and process_environment().get("TERM") != "dumb"


class Screen:
    """Lines for the user. `live` is whether there is a terminal that can show a changing line."""

    def __init__(self, pipe: Pipe, *, live: bool) -> None:
        self._pipe, self._live = pipe, live
        self._shown = ""  # the progress line that stands there now

    @property
    def live(self) -> bool:
        """Whether a progress line can be shown."""
        return self._live

    def say(self, text: str) -> None:
        """Write whole lines, in place of the progress line."""
        self.clear()
        self._pipe.mention(harmless(text) + "\n")

    def ask(self, text: str) -> None:
        """Write text the user answers behind."""
        self.clear()
        self._pipe.mention(harmless(text))

    def progress(self, text: str) -> None:
        """Show this as the progress line."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            line = harmless(" ".join(text.split()))[:width]
            if line != self._shown:
                self._pipe.mention(f"\r\x1b[2K{line}")
            self._shown = line

    def stopping(self) -> None:
        """Say that Ctrl-C was heard, on a line of its own: the cursor stands behind `^C`."""
        if self._live:
            self._shown = ""
            self._pipe.mention("\nStopping. Ctrl-C once more leaves at once.\n")

    def clear(self) -> None:
        """Take the progress line away."""
        if self._shown:
            self._shown = ""
            self._pipe.mention("\r\x1b[2K")
