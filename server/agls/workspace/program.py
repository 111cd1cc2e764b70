"""A program of the user's own that outputs something, such as a key: no command of the agent."""

import asyncio
import os
import signal
import subprocess  # noqa: TID251 - this package starts processes
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import IO

from agls.engine.ports import WorkspaceError
from agls.workspace.orphans import ours

LOOK = 0.02  # seconds between two looks at it
MOST = 1_000_000  # bytes of its output


async def output_of(argv: Sequence[str], environment: Mapping[str, str], seconds: float) -> str:
    """Run the program and return its standard output, when it has ended.

    **Raises** `WorkspaceError` when it cannot be started, fails, writes too much, or takes longer; cancelling
    ends it with its children.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + seconds
    with _started(argv, environment) as process:
        ours.add(process.pid)
        output, problems = bytearray(), bytearray()
        try:
            while process.poll() is None:
                _read(argv[0], process.stdout, output)
                _read(argv[0], process.stderr, problems)
                if loop.time() > until:
                    raise WorkspaceError(f"{argv[0]} did not end within {seconds:g} seconds.")
                await asyncio.sleep(LOOK)
            _read(argv[0], process.stdout, output)
            _read(argv[0], process.stderr, problems)
        finally:
            if process.poll() is None:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
            ours.discard(process.pid)
    if process.returncode:
        words = " ".join(problems.decode(errors="replace").split())[-200:]
        raise WorkspaceError(f"{argv[0]} failed with exit code {process.returncode}: {words or 'no words'}")
    return output.decode(errors="replace")


def _started(argv: Sequence[str], environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    """Start the program, in a process group of its own. **Raises** `WorkspaceError`."""
    try:
        return subprocess.Popen(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            bufsize=0,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"{argv[0]} could not be started: {error}.") from None


def _read(name: str, stream: IO[bytes] | None, held: bytearray) -> None:
    """Read the bytes that are there. **Raises** `WorkspaceError`."""
    assert stream
    os.set_blocking(stream.fileno(), False)
    while part := stream.read(1 << 16):
        held += part
        if len(held) > MOST:
            raise WorkspaceError(f"{name} wrote more than {MOST:,} bytes.")
