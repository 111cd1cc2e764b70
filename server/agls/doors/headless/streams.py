"""The standard streams as a shell may leave them: closed, full, or without a reader."""

import errno
import json
import os
import sys
from io import TextIOWrapper

from agls.doors.headless.exits import Exit
from agls.doors.headless.rows import wrapped

MISSING = {"stdin": os.O_RDONLY, "stdout": os.O_RDONLY, "stderr": os.O_WRONLY}


def make_ready() -> None:
    """Put a file in the place of a closed stream, and let the others take bytes that are no text.

    What is read from there is empty. What is written to standard output fails: the answer would be lost.
    """
    for name, flags in MISSING.items():
        if getattr(sys, name) is None:
            mode = "r" if name == "stdin" else "w"
            setattr(sys, name, os.fdopen(os.open(os.devnull, flags), mode, encoding="utf-8"))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a file name may hold bytes that are no text
            stream.reconfigure(errors="backslashreplace")


def write(text: str) -> None:
    """Write to standard output, at once. **Raises** `SystemExit` when it takes no more."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except OSError as error:
        silence(sys.stdout.fileno())
        complain(error)
        raise SystemExit(_code_of(error)) from None


def write_json(value: object) -> None:
    """Write a value for programs to standard output. **Raises** `SystemExit` when it takes no more."""
    write(f"{json.dumps(value, indent=2)}\n")


def finish(code: int) -> int:
    """Write out what waits. **Returns** the exit code: a failure when standard output was not all written."""
    try:
        sys.stdout.flush()
    except OSError as error:
        silence(sys.stdout.fileno())
        if code == Exit.DONE:
            complain(error)
        code = code or _code_of(error)
    write_stderr("")
    return code


def _code_of(error: OSError) -> Exit:
    """Return the exit code for this error of standard output."""
    return Exit.UNREAD if isinstance(error, BrokenPipeError) else Exit.FAILED


def complain(error: OSError) -> None:
    """Write that standard output cannot be written; one whose reader left (`| head`) is no trouble."""
    if not isinstance(error, BrokenPipeError):
        why = "it is closed" if error.errno == errno.EBADF else error.strerror
        write_stderr(f"agls: standard output cannot be written: {why}\n")


def stderr_columns() -> int:
    """Return how wide the terminal is that standard error goes to; 0 where it is none, or says nothing."""
    if not sys.stderr.isatty():
        return 0
    from agls.config.environment import process_environment  # noqa: PLC0415 - `--version` needs none

    said = process_environment().get("COLUMNS", "")
    try:
        return (
            int(said) if said.isdecimal() and int(said) else os.get_terminal_size(sys.stderr.fileno()).columns
        )
    except OSError:
        return 0


def write_stderr(text: str) -> None:
    """Write to standard error, wrapped for a terminal; what cannot be written is dropped."""
    columns = stderr_columns()
    try:
        sys.stderr.write(wrapped(text, columns) if columns else text)
        sys.stderr.flush()
    except OSError:
        silence(sys.stderr.fileno())


def silence(number: int) -> None:
    """Send further output to this descriptor nowhere: the interpreter flushes once more at its end."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, number)
    os.close(nowhere)
