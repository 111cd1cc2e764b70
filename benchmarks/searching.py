"""Search in a large tree: the tools `glob` and `grep` beside ripgrep itself, in turns over the same files.

The tools are called in this process as a run calls them, each time in a workspace that was just opened.
"""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

from agls.__main__ import leave_out
from agls.engine.ports import ToolContext
from agls.engine.vocabulary import ToolCall
from agls.features.search.feature import build
from agls.features.search.settings import Settings
from agls.workspace.editor import NoEditor
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace
from benchmarks.client import Broken

FOLDER = 100  # files in each folder
RARE = 10  # files that hold the rare text
COMMON_LINES = 100
WORDS = ("alpha", "beta", "gamma", "delta", "count", "index", "total", "result", "parse", "token", "buffer")
DIRECT = ("--hidden", "-g", "!.git")  # ripgrep looks at the files that the tools look at
MS = 1e3


class Case(NamedTuple):
    """A call, what ripgrep gets for the same, and the lines of the answer; after so many ripgrep is ended."""

    tool: str
    arguments: dict[str, Any]
    ripgrep: Sequence[str]
    lines: int
    is_cut: bool = False


CASES = {
    "glob": Case("glob", {"pattern": "*_76.py", "limit": 1_000}, ("--files", "-g", "*_76.py"), 0),
    "common": Case("grep", {"pattern": "return"}, ("-n", "return", "."), COMMON_LINES, is_cut=True),
    "rare": Case("grep", {"pattern": "needle_rare"}, ("-n", "needle_rare", "."), RARE),
    "absent": Case("grep", {"pattern": "nowhere_at_all"}, ("-n", "nowhere_at_all", "."), 0),
}


def ripgrep() -> str:
    """Return the program of the user or of the development environment, "" when there is none."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    return shutil.which("rg", path=path) or ""


def make_tree(root: Path, files: int) -> None:
    """Write so many files like sources, of about 1 kB, into folders two deep, and read them once."""
    dice = random.Random(7)
    lines = ["    " * dice.randint(0, 3) + " ".join(dice.choices(WORDS, k=6)) for _ in range(4_000)]
    (root / ".git").mkdir(parents=True)  # without it ripgrep would not read the rules of the next file
    (root / ".gitignore").write_text("*.log\nbuild/\n")
    rare = {index * files // RARE for index in range(RARE)}
    for number in range(files):
        folder = root / f"d{number // FOLDER // 10}" / f"s{number // FOLDER % 10}"
        if number % FOLDER == 0:
            folder.mkdir(parents=True)
        at = dice.randrange(3_960)
        text = "\n".join((*lines[at : at + dice.randint(10, 40)], "return", "needle_rare" * (number in rare)))
        ending = ".md" if number % 3 == 2 else ".py"
        (folder / f"f{number // FOLDER}_{number % FOLDER}{ending}").write_text(text)
    beside(root, CASES["absent"])


def beside(root: Path, case: Case) -> float:
    """Return the milliseconds that ripgrep itself takes."""
    begun = time.perf_counter()
    argv = [ripgrep(), *DIRECT, *case.ripgrep]
    with subprocess.Popen(argv, cwd=root, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as process:
        assert process.stdout
        found = list(islice(process.stdout, case.lines if case.is_cut else None))
        if case.is_cut:
            process.kill()
    took = (time.perf_counter() - begun) * MS
    _check("ripgrep", case, len(found))
    return took


def called(root: Path, case: Case, *, alone: bool) -> float:
    """Return the milliseconds that the tool takes, `alone` when it finds no ripgrep."""
    return asyncio.run(_called(root, case, "/usr/bin/nowhere" if alone else str(Path(ripgrep()).parent)))


def called_first(root: Path) -> float:
    """Return the milliseconds that the first `glob` of a new process takes; later ones know the folders."""
    argv = [sys.executable, "-m", "benchmarks.searching", str(root)]
    return float(subprocess.run(argv, check=True, stdout=subprocess.PIPE, text=True).stdout)


async def _called(root: Path, case: Case, path: str) -> float:
    tool = next(tool for tool in build(Settings()).tools if tool.spec.name == case.tool)
    processes = Processes({**os.environ, "PATH": path})
    try:
        workspace = OpenWorkspace(str(root), (), NoEditor(), processes)
        begun = time.perf_counter()
        outcome = await tool(ToolCall("c1", case.tool, case.arguments), ToolContext(workspace, "c1", print))
        took = (time.perf_counter() - begun) * MS
    finally:
        await processes.aclose()
    _check("agls", case, sum(line[:1].isdigit() for line in outcome.text.splitlines()))
    return took


def _check(name: str, case: Case, lines: int) -> None:
    if case.lines and lines != case.lines:
        raise Broken(f"{name} gave {lines} lines, not {case.lines}, for {case.arguments}")


if __name__ == "__main__":
    leave_out()  # as the server does
    sys.stdout.write(str(called(Path(sys.argv[1]), CASES["glob"], alone=False)))
