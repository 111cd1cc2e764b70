"""The start of a command in the sandbox, beside the same command without one."""

import asyncio
import os
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from shutil import which
from typing import TYPE_CHECKING

from agls.engine.ports import Command
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.sandbox.backend import Sandboxes
from agls.workspace.sandbox.launcher import SandboxedProcesses
from agls.workspace.sandbox.mounts import Bounds
from agls.workspace.workspace import OpenWorkspace
from benchmarks.peers import Bench

if TYPE_CHECKING:
    from benchmarks.measures import Sizes, Values

COMMAND = Command(("true",), timeout=30)
PROTECTED = (".git/hooks", ".vscode", ".github/workflows")
MS = 1000
PAUSE = 2.1  # seconds after which folders count as settled and are remembered


def sandbox(bench: Bench, sizes: "Sizes", values: "Values") -> None:
    """Start commands in the sandbox, beside the same ones without it."""
    if not backend():
        sys.stderr.write("skipped: sandbox (this machine can make none)\n")
        return
    root = bench.folder / "project"
    make_project(root, sizes.folders)
    took = compared(root, sizes.firsts)
    for floor, own in zip(took["floor"], took["agls"], strict=True):
        values.add("sandbox", "floor", floor)
        values.add("sandbox", "agls", own)


def make_project(root: Path, folders: int) -> None:
    """Make a project of so many folders, with names that other programs obey."""
    for name in PROTECTED:
        (root / name).mkdir(parents=True, exist_ok=True)
    for number in range(folders):
        (root / f"src/{number // 50}/{number}").mkdir(parents=True, exist_ok=True)


def backend() -> str:
    """Return the name of what makes the sandbox here, "" when nothing does."""
    found = asyncio.run(Sandboxes("").find(which("bwrap") or ""))
    return found.backends[0].name if found.backends else ""


def compared(root: Path, times: int) -> Mapping[str, list[float]]:
    """Return the milliseconds of commands without the sandbox and in it, in turns."""
    return asyncio.run(_compared(root.resolve(), times))


async def _compared(root: Path, times: int) -> Mapping[str, list[float]]:
    processes = Processes(dict(os.environ))
    sandboxes = Sandboxes("")
    way = (await sandboxes.find(which("bwrap") or "")).backends[0]
    bounds = Bounds((str(root),), environment=processes.environment)
    plain = OpenWorkspace(str(root), (), NoEditor(), processes)
    runner = SandboxedProcesses(processes, way, bounds, sandboxes.baseline(bounds.roots))
    places = {"floor": plain, "agls": plain.run_by(runner)}
    values: dict[str, list[float]] = {name: [] for name in places}
    try:
        for repetition in range(times + 1):
            for name, place in places.items():
                begun = time.perf_counter()
                await place.run(COMMAND, _unheard)
                if repetition:  # the first one reads the folders
                    values[name].append((time.perf_counter() - begun) * MS)
            await asyncio.sleep(0 if repetition else PAUSE)
    finally:
        await processes.aclose()
    return values


def _unheard(text: str) -> None:
    """Show nobody what the command prints."""
