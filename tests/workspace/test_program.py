"""A program of the user's own: what it writes is read, and it never outlives who waits for it."""

import asyncio
import os
from pathlib import Path

import pytest

from agls.engine.ports import WorkspaceError
from agls.workspace.program import output_of
from support.patience import become

PLAIN = {"PATH": os.defpath}
STAYS = "trap '' TERM INT HUP; sleep 300 & echo $! > {0}; wait; sleep 300"


def is_there(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


async def test_program_gets_its_environment_and_nothing_to_read() -> None:
    told = await output_of(("sh", "-c", "cat; echo $MINE; echo noise >&2"), {**PLAIN, "MINE": "ü"}, 30.0)
    assert told == "ü\n"


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (("/nowhere",), "could not be started"),
        (("sh", "-c", "echo so >&2; exit 3"), "failed with exit code 3: so"),
        (("sh", "-c", "exit 4"), "failed with exit code 4: no words"),
    ],
)
async def test_failing_program_is_reported(argv: tuple[str, ...], said: str) -> None:
    with pytest.raises(WorkspaceError, match=said):
        await output_of(argv, PLAIN, 30.0)


async def test_program_that_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    file = tmp_path / "child"
    with pytest.raises(WorkspaceError, match=r"did not end within 0\.5 seconds"):
        await output_of(("sh", "-c", STAYS.format(file)), PLAIN, 0.5)
    pid = int(file.read_text())
    await become(lambda: not is_there(pid))


async def test_abandoned_program_is_ended(tmp_path: Path) -> None:
    file = tmp_path / "child"
    task = asyncio.create_task(output_of(("sh", "-c", STAYS.format(file)), PLAIN, 300.0))
    await become(lambda: file.exists() and file.read_text().strip())
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    pid = int(file.read_text())
    await become(lambda: not is_there(pid))


async def test_program_that_writes_without_end_is_ended() -> None:
    with pytest.raises(WorkspaceError, match="wrote more than"):
        await output_of(("sh", "-c", "exec cat /dev/zero"), PLAIN, 60.0)


async def test_child_that_holds_the_output_open_delays_nothing() -> None:
    told = await output_of(("sh", "-c", "sleep 3 & echo told"), PLAIN, 60.0)
    assert told == "told\n"
