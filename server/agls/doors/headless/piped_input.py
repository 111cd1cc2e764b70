"""The text piped into a run: read to its end, but never waited for without one."""

import os
import select
import signal
import stat
import sys

from agls.doors.headless import signals
from agls.doors.headless.exits import CannotBegin, Exit
from agls.doors.headless.streams import write_stderr

LONGEST = 10_000_000  # bytes of a prompt
LONGEST_BESIDE = 4_000_000  # bytes beside a prompt: more than most models can take
FIRST = 10.0  # seconds for the first byte: job runners leave pipes open that nobody writes to
NEXT = 600.0  # seconds for every further one
SOON = 1.0  # seconds until a line at the terminal says what the wait is for
CHUNK = 65_536

NOTHING = (
    f"Nothing came on standard input within {FIRST:.0f} s, so the run goes on without it. "
    'Say that there is none: agls run "…" < /dev/null. Wait for it, however long: agls run "…" -'
)
NO_END = (
    f"Standard input began and then brought nothing for {NEXT / 60:.0f} minutes, without an end. "
    'Wait for it, however long: agls run "…" -'
)


def piped(*, beside: bool, waits: bool) -> bytes:
    """Read standard input, unless it is a terminal.

    `beside` is whether there is a prompt as well. Where nobody watches and the arguments do not ask to wait
    (`waits`), an open pipe is given `FIRST` seconds to begin and `NEXT` to go on.

    **Raises** `CannotBegin`: it is too long, has no end, cannot be read, or a signal stops it.
    """
    if sys.stdin.isatty() and not waits:
        return b""
    try:
        with signals.heard():
            return _read(sys.stdin.fileno(), LONGEST_BESIDE if beside else LONGEST, waits=waits)
    except OSError as error:
        raise CannotBegin(f"Standard input cannot be read: {error.strerror}.", "usage") from error
    except signals.Stopped as stopped:
        code = Exit.CANCELLED if stopped.number == signal.SIGINT else Exit.FAILED
        raise CannotBegin("Stopped before the run began.", "cancelled", code) from None


def _read(descriptor: int, longest: int, *, waits: bool) -> bytes:
    patient = waits or _watched(descriptor)
    data = bytearray()
    while len(data) <= longest:
        if not (patient or _ready(descriptor, NEXT if data else FIRST)):
            if data:
                raise CannotBegin(NO_END, "usage")
            write_stderr(f"agls: {NOTHING}\n")
            return b""
        piece = os.read(descriptor, CHUNK)
        if not piece:
            return bytes(data)
        data += piece
    raise CannotBegin(
        f"More than {longest // 1_000_000} MB came on standard input. Put it into a file and name that file: "
        "the agent then reads what it needs.",
        "usage",
    )


def _watched(descriptor: int) -> bool:
    """Return whether a user at a terminal can press Ctrl-C; a line says what the wait is for."""
    if not sys.stderr.isatty():
        return False
    if stat.S_ISFIFO(os.fstat(descriptor).st_mode) and not _ready(descriptor, SOON):
        write_stderr("Waiting for standard input to end. Ctrl-C stops.\n")
    return True


def _ready(descriptor: int, seconds: float) -> bool:
    return bool(select.select([descriptor], [], [], seconds)[0])
