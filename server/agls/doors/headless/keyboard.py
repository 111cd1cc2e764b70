"""What somebody types at the terminal, line by line."""

import asyncio
import os
import select
import sys
import termios
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TextIO

from agls.regex import regex
from agls.terminal_codes import without_codes

CONTROLLING = Path("/dev/tty")
CTRL_D = b"\x04"
END = regex(rb"\n|\x04")  # of a line: Ctrl-D ends one that was begun, and otherwise all
LINES = 65_536  # bytes that are read at once


class Keyboard:
    """Lines that somebody types, read without a thread that could not be stopped.

    A terminal gives one at a time, but all at once that were typed while it gave single keys. So there is one
    of these for a terminal: what was read and not asked for yet waits in it.
    """

    def __init__(self, file: TextIO) -> None:
        self.file = file
        self._waiting = b""

    def forget(self) -> None:
        """Drop what was typed so far: it was no answer to what is asked now."""
        self._waiting = b""
        with suppress(termios.error):
            termios.tcflush(self.file, termios.TCIFLUSH)

    def waits(self) -> bool:
        """Return whether a line was typed that nobody asked for yet."""
        self._read_what_is_there()
        return b"\n" in self._waiting

    def waiting(self) -> str:
        """Return the lines that were typed while nobody read them, with their ends.

        **Raises** `EOFError` when Ctrl-D was typed instead of any.
        """
        self._read_what_is_there()
        before, leaves, _ = self._waiting.partition(CTRL_D)
        self._waiting = b""
        lines = without_codes(before.decode(errors="replace"))
        if leaves and not lines.strip():
            raise EOFError
        return lines

    async def line(self) -> str | None:
        """Return the next line without its end; `None` when no more will come."""
        while not (end := END.search(self._waiting)):
            await self._typed()
            self._read()
        line, self._waiting = self._waiting[: end.start()], self._waiting[end.end() :]
        if end[0] == CTRL_D and not line:
            return None
        return line.decode(errors="replace")

    def restorer(self) -> Callable[[], None]:
        """Return what lets the terminal take keys as it does now."""
        try:
            now = termios.tcgetattr(self.file)
        except termios.error:  # keys come from elsewhere
            return lambda: None
        return lambda: termios.tcsetattr(self.file, termios.TCSANOW, now)

    @contextmanager
    def unseen(self) -> Generator[None]:
        """Show nothing that is typed during the block."""
        try:
            before = termios.tcgetattr(self.file)
        except termios.error:  # what is typed comes from elsewhere, and is not shown by a terminal
            yield
            return
        now = termios.tcgetattr(self.file)
        now[3] &= ~termios.ECHO
        termios.tcsetattr(self.file, termios.TCSADRAIN, now)
        try:
            yield
        finally:
            termios.tcsetattr(self.file, termios.TCSADRAIN, before)

    async def _typed(self) -> None:
        """Wait until something can be read."""
        loop = asyncio.get_running_loop()
        typed: asyncio.Future[None] = loop.create_future()
        loop.add_reader(self.file, lambda: typed.done() or typed.set_result(None))
        try:
            await typed
        finally:
            loop.remove_reader(self.file)

    def _read_what_is_there(self) -> None:
        while not self._waiting.endswith(CTRL_D) and select.select([self.file], [], [], 0)[0]:
            self._read()

    def _read(self) -> None:
        """Read once. A terminal that has lines keeps Ctrl-D to itself, and gives nothing."""
        try:
            read = os.read(self.file.fileno(), LINES)
        except OSError:  # the terminal is gone
            read = b""
        self._waiting += read.replace(b"\r", b"\n") or CTRL_D


def keyboard_at_hand() -> Keyboard | None:
    """Return where somebody at the terminal types: questions are read on standard error.

    That is standard input, or, where something is piped into it, the terminal of the process. `None` when
    nobody is there.
    """
    if not sys.stderr.isatty():
        return None
    if sys.stdin.isatty():
        return Keyboard(sys.stdin)
    try:
        return Keyboard(CONTROLLING.open(encoding="utf-8", errors="replace"))
    except OSError:  # the process has no terminal of its own
        return None
