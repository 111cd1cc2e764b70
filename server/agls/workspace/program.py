"""A program of the user's own that tells us something, such as a key: no command of the agent."""

import asyncio
import os
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress

from agls.engine.ports import WorkspaceError
from agls.workspace.orphans import ours


async def output_of(argv: Sequence[str], environment: Mapping[str, str], seconds: float) -> str:
    """What the program writes to its standard output.

    Raises `WorkspaceError` when it cannot be started, fails, or takes longer; cancelling ends it.
    """
    pipe = asyncio.subprocess.PIPE
    try:
        process = await asyncio.create_subprocess_exec(  # noqa: TID251 - this package starts processes
            *argv,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=pipe,
            stderr=pipe,
            env=environment,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"{argv[0]} could not be started: {error}.") from None
    ours.add(process.pid)
    try:
        async with asyncio.timeout(seconds):
            told, problems = await process.communicate()
    except TimeoutError:
        raise WorkspaceError(f"{argv[0]} did not end within {seconds:g} seconds.") from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
        ours.discard(process.pid)
    if process.returncode:
        words = " ".join(problems.decode(errors="replace").split())[-200:]
        raise WorkspaceError(f"{argv[0]} failed with exit code {process.returncode}: {words or 'no words'}")
    return told.decode(errors="replace")
