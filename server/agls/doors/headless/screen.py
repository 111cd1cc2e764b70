"""Standard error for people: whole lines, and on a terminal one line that shows the progress."""

import shutil
from typing import TextIO

from agls.config.environment import process_environment
from agls.doors.headless.pipe import Pipe
from agls.frozen import frozen
from agls.views.escape import escape_controls

STYLES = {"call": "36", "added": "32", "removed": "31", "trouble": "33", "faint": "2"}  # SGR
SHORTEST = 20  # characters of a line that are shown, whatever its remark needs


def can_change(file: TextIO) -> bool:
    """Return whether this is a terminal on which a line can be overwritten."""
    return file.isatty() and process_environment().get("TERM") != "dumb"


def has_colours(file: TextIO) -> bool:
    """Return whether colours are wanted there (https://no-color.org)."""
    return can_change(file) and not process_environment().get("NO_COLOR")


@frozen
class StyledLine:
    """A line in a style of `STYLES` ("": none), and a fainter end of it."""

    style: str
    text: str
    remark: str = ""


class TerminalScreen:
    """Lines for the user. `live` is whether there is a terminal that can show a changing line."""

    def __init__(self, pipe: Pipe, *, live: bool, colours: bool = False) -> None:
        self._pipe = pipe
        self._live = live
        self._colours = colours
        self._shown = ""  # the progress line that stands there now

    @property
    def live(self) -> bool:
        """Whether a progress line can be shown."""
        return self._live

    def say(self, text: str) -> None:
        """Write whole lines, in place of the progress line."""
        self.clear()
        self._pipe.mention(escape_controls(text) + "\n")

    def show(self, line: StyledLine) -> None:
        """Write one line, on a terminal no longer than it is wide where its remark would be lost."""
        text, remark = escape_controls(line.text), escape_controls(line.remark)
        if self._live and remark:
            room = shutil.get_terminal_size().columns - len(remark) - 3
            text = text if len(text) <= room or room < SHORTEST else f"{text[: room - 1]}…"
        remark = f"  {self._styled('faint', remark)}" if remark else ""
        self.clear()
        self._pipe.mention(f"{self._styled(line.style, text)}{remark}\n")

    def _styled(self, style: str, text: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self._colours and style else text

    def ask(self, text: str) -> None:
        """Write text the user answers behind."""
        self.clear()
        self._pipe.mention(escape_controls(text))

    def progress(self, text: str) -> None:
        """Show this as the progress line."""
        if self._live:
            width = shutil.get_terminal_size().columns - 1
            line = escape_controls(" ".join(text.split()))[:width]
            if line != self._shown:
                self._pipe.mention(f"\r\x1b[2K{line}")
            self._shown = line

    def stopping(self) -> None:
        """Show that Ctrl-C was received, on a line of its own: the cursor stands behind `^C`."""
        if self._live:
            self._shown = ""
            self._pipe.mention("\nStopping. Ctrl-C once more leaves at once.\n")

    def clear(self) -> None:
        """Take the progress line away."""
        if self._shown:
            self._shown = ""
            self._pipe.mention("\r\x1b[2K")
