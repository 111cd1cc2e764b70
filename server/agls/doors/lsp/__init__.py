"""The LSP connection: `agls serve --stdio`."""

import fcntl
import gc
import os
import sys
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from agls.doors.agent.limits import ConnectionLimits
from agls.doors.agent.stream.tap import NO_TAP, Tap
from agls.doors.agent.stream.transport import Reader, Writer
from agls.doors.force_exit import force_exit_after
from agls.doors.lsp.initialize import greet
from agls.doors.lsp.loading import LAST_WORDS, Loading
from agls.doors.lsp.watchdog import PATIENCE, watch

TURN = 0.0005  # seconds that a thread computes before another one may: work in threads delays no answer
ROOM = 1 << 18  # bytes that wait in the pipe: a whole session is sent in one piece


def main(
    arguments: Mapping[str, Any] | None = None, limits: ConnectionLimits | None = None, dump: str = ""
) -> int:
    """Serve one client on standard input and output. **Returns** the exit code.

    `arguments` are settings from the command line, a table as in the config file. `dump` is a
    file for all messages. The first answer is given before anything but the standard library is imported.
    """
    try:
        tap = _tap(dump)
    except OSError as problem:
        sys.stderr.write(f"agls: --wire-dump {dump}: {problem.strerror}. Name a file that can be written.\n")
        return 2
    try:
        received, output = take_streams()
    except OSError as problem:
        sys.stderr.write(f"agls: serve --stdio needs standard input and output: {problem.strerror}\n")
        return 1
    sys.setswitchinterval(TURN)
    parent = os.getppid()
    writer = Writer(output, tap)
    limits = limits or ConnectionLimits()
    reader = Reader(received, writer, limits, tap)
    loading = Loading(reader, writer)
    greeting = greet(reader, writer)
    if isinstance(greeting, int):
        code = greeting
    else:
        watch(greeting.client.process_id, parent, output, partial(_lost, reader, loading))
        loading.listen()
        gc.disable()  # what is loaded now stays, and looking at it takes a tenth of the start
        from agls.doors.lsp.own_process import OwnProcess  # noqa: PLC0415 - it was answered
        from agls.doors.lsp.server import LspServer, serve  # noqa: PLC0415 - it was answered

        process = OwnProcess(loading.over)
        code = serve(LspServer(reader, writer, greeting, limits, process), dict(arguments or {}))
    writer.close(LAST_WORDS)
    return code


def _tap(dump: str) -> Tap:
    """**Raises** `OSError` when the file cannot be opened."""
    if not dump:
        return NO_TAP
    from pathlib import Path  # noqa: PLC0415 - it takes longer than the first answer

    from agls.doors.agent.stream.wire_dump import WireDump  # noqa: PLC0415 - it takes longer than the first answer

    return WireDump(Path(dump))


def _lost(reader: Reader, loading: Loading) -> None:
    """Nobody is there any more."""
    loading.leave(0)
    force_exit_after(PATIENCE, 0)
    reader.end()


def take_streams() -> tuple[int, int]:
    """Standard input and output for the protocol alone: others read nothing, and write to standard error.

    **Raises** `OSError` when one of them is closed.
    """
    os.fstat(1)  # were it closed, the copy of the input would take its place
    received, output = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    for descriptor in (received, output):
        os.set_blocking(descriptor, True)
        os.set_inheritable(descriptor, False)
    with suppress(OSError, AttributeError):  # it is no pipe, or this is not Linux
        fcntl.fcntl(output, fcntl.F_SETPIPE_SZ, ROOM)
    return received, output
