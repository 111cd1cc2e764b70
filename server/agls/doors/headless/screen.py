"""Standard error for people: whole lines, and on a terminal a few rows that change."""

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from typing import TextIO

from agls.config.environment import process_environment
from agls.doors.headless.pipe import Aside, Pipe
from agls.doors.headless.rows import fitting, last_rows, wrapped
from agls.doors.headless.streams import stderr_columns
from agls.frozen import frozen
from agls.short_text import cut
from agls.views.escape import escape_controls

STYLES = {"call": "36", "added": "32", "removed": "31", "trouble": "33", "faint": "2"}  # SGR
BELOW = "  "  # in front of a remark that stands below its line
SHORTEST = 20  # characters of a line that are shown, whatever its remark needs
TAIL = 3  # rows of a text that is being written
ECHO = 3  # columns that stay free for the `^C` of somebody who stops the run


def can_change(file: TextIO) -> bool:
    """Return whether this is a terminal on which a line can be overwritten."""
    return file.isatty() and process_environment().get("TERM") != "dumb"


def has_colours(file: TextIO) -> bool:
    """Return whether colours are wanted there (https://no-color.org)."""
    return can_change(file) and not process_environment().get("NO_COLOR")


@frozen
class StyledLine:
    """A line in a style of `STYLES` ("": none), and a fainter end of it.

    `coloured` is the text with colours of its own, which stand in place of the style ("": it has none).
    """

    style: str
    text: str
    remark: str = ""
    coloured: str = ""


class TerminalScreen:
    """Lines for the user. `live` is whether there is a terminal that can show changing rows.

    The changing rows are the last ones, and the cursor stands behind them: everything else takes their place.
    While a question waits for its answer there are none, and its prompt is written again behind other lines.
    """

    def __init__(self, pipe: Pipe, *, live: bool, colours: bool = False) -> None:
        self._pipe = pipe
        self._live = live
        self._colours = colours
        self._shown = ""  # the changing rows that stand there now
        self._prompt = ""  # what the user types behind now
        self._below = _nobody

    @property
    def live(self) -> bool:
        """Whether changing rows can be shown."""
        return self._live

    def share(self, show: Callable[[str], bool], aside: Aside) -> None:
        """Let somebody type below: they `show` the changing rows, and step `aside` for all else."""
        self.clear()
        self._below, self._pipe.aside = show, aside

    def alone(self) -> None:
        """Take note that nobody types below any more."""
        self._below, self._pipe.aside = _nobody, nullcontext

    async def settled(self) -> None:
        """Wait until everything so far is on the terminal, without the changing rows."""
        self.clear()
        await self._pipe.drained()

    def say(self, text: str) -> None:
        """Write whole lines, in place of the changing rows; on a terminal no word is cut at its edge."""
        self._put(self._pipe.mention, self._wrapped(escape_controls(text)) + "\n")

    def _wrapped(self, text: str) -> str:
        columns = stderr_columns()
        return wrapped(text, columns) if columns else text

    def write(self, text: str) -> None:
        """Write text that is safe to standard output, in place of the changing rows."""
        self._put(self._pipe.write, text)

    def show(self, line: StyledLine) -> None:
        """Write one line, on a terminal no longer than it is wide where its remark would be lost.

        A remark that leaves too little room for the line stands below it.
        """
        text, remark = escape_controls(line.text), escape_controls(line.remark)
        between = "  "
        if self._live and remark:
            columns = shutil.get_terminal_size().columns
            room = columns - len(remark) - 3
            if room >= SHORTEST:
                text = cut(text, room)
            elif fitting(longer := f"{text}{between}{remark}", columns) < len(longer):
                between, remark = "\n", self._wrapped(f"{BELOW}{remark}")
        remark = f"{between}{self._styled('faint', remark)}" if remark else ""
        shown = line.coloured if self._colours and line.coloured else self._styled(line.style, text)
        self._put(self._pipe.mention, f"{shown}{remark}\n")

    def _put(self, write: Callable[[str], None], text: str) -> None:
        self._erase()
        if self._prompt:
            self._pipe.mention("\n")
        write(text)
        self._pipe.mention(self._prompt)

    def _styled(self, style: str, text: str) -> str:
        return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if self._colours and style else text

    def say_if_lost(self, text: str) -> None:
        """Write a whole line at the end, if standard output was not all written."""
        self._pipe.if_lost = escape_controls(text) + "\n"

    def ask(self, text: str) -> None:
        """Write text the user answers behind."""
        self.clear()
        self._pipe.mention(escape_controls(text))
        self._prompt = escape_controls(text).rpartition("\n")[2]

    def answered(self, *, typed: bool) -> None:
        """Take note that the question waits no more: its answer was `typed`, with an end of line, or not."""
        if self._prompt and not typed:
            self._pipe.mention("\n")
        self._prompt = ""

    def back(self) -> None:
        """Show again what the user types behind: the shell wrote below it meanwhile."""
        self._pipe.mention(self._prompt)

    def progress(self, text: str) -> None:
        """Show this as the one changing row."""
        line = escape_controls(" ".join(text.split()))
        self._change(line[: fitting(line, self._columns)])

    def tail(self, text: str) -> None:
        """Show the last rows of a text that is being written; of an empty one nothing."""
        most = max(1, min(TAIL, shutil.get_terminal_size().lines - 1))
        self._change("\n".join(last_rows(escape_controls(text), self._columns, most)))

    def stopping(self) -> None:
        """Show that Ctrl-C was received, on a line of its own: the cursor may stand behind `^C`."""
        if self._live:
            before = "" if self._shown or self._below("") else "\n"
            self.clear()
            self._prompt = ""
            self._pipe.mention(f"{before}Stopping. Ctrl-C once more leaves at once.\n")

    def clear(self) -> None:
        """Take the changing rows away."""
        self._below("")
        self._erase()

    def _erase(self) -> None:
        if self._shown:
            self._pipe.mention(self._erased())
            self._shown = ""

    @property
    def _columns(self) -> int:
        """The columns of a changing row."""
        return shutil.get_terminal_size().columns - ECHO

    def _change(self, rows: str) -> None:
        """Show other rows; where they only became longer, write what is new."""
        if not self._live or self._prompt or self._below(rows) or not rows:
            return
        goes_on = self._shown and rows.startswith(self._shown)
        if new := rows[len(self._shown) :] if goes_on else self._erased() + rows:
            self._pipe.mention(new)
        self._shown = rows

    def _erased(self) -> str:
        """Return what takes the changing rows from the terminal, from the last to the first."""
        return "\r\x1b[2K" + "\x1b[1A\x1b[2K" * self._shown.count("\n")


def _nobody(rows: str) -> bool:
    """Return that nobody below shows the changing rows."""
    return False
