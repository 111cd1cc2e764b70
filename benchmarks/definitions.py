"""A definition from a warm editor: Neovim's own time for it, and that of a tool call that asks Neovim."""

import json
import os
import shutil
import statistics
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from benchmarks.client import Broken
from benchmarks.model import MARK
from benchmarks.peers import Bench, installed

if TYPE_CHECKING:
    from benchmarks.measures import Sizes, Values

HERE = Path(__file__).parent
CLIENT = HERE.parent / "clients" / "neovim"
PATIENCE = 180  # seconds for one Neovim
MS = 1e6
FILES = {
    "shop.py": "def total(items: list[int]) -> int:\n    return sum(items)\n",
    "main.py": "from shop import total\n\nprint(total([3]))\n",
}
PLACE = {"line": 2, "character": 7}
CALL = {
    "name": "code_intelligence",
    "arguments": {"operation": "definition", "path": "main.py", "symbol": "total", "line": 3},
    "numbered": "limit",  # a call that is always the same would be stopped
}


class Definitions(NamedTuple):
    """Medians in milliseconds: the editor alone, and from a model's call to the next request."""

    editor: float
    tool: float


def define(bench: Bench, sizes: "Sizes", values: "Values") -> None:
    """Ask a warm Neovim for definitions by tool calls, with its own time for them as the floor."""
    if program := missing():
        sys.stderr.write(f"skipped: definitions (there is no {program})\n")
        return
    for repetition in range(sizes.tool_runs):
        found = measured(bench, sizes.tool_turns, bench.folder / f"neovim{repetition}")
        values.add("definition", "floor", found.editor)
        values.add("definition", "agls", found.tool)


def missing() -> str:
    """Return which program is needed and not there, "" when all are."""
    programs = {"Neovim (nvim on the PATH, or scripts/editors/neovim)": _nvim(), "pyright": _pyright()}
    return next((name for name, path in programs.items() if not path), "")


def measured(bench: Bench, count: int, home: Path) -> Definitions:
    """Start a Neovim with a language server and let it be asked so often. **Raises** `Broken`."""
    home.mkdir()
    for name, text in FILES.items():
        (bench.workspace / name).write_text(text)
    own = home / "own"
    task = {"do": "tools", "count": count, "call": CALL}
    asked = {
        **PLACE,
        "file": "main.py",
        "server": [_pyright(), "--stdio"],
        "command": [*installed(), "serve", "--stdio"],
        "count": count,
        "prompt": MARK + json.dumps(task),
        "out": str(own),
    }
    homes = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    environment = {
        "PATH": os.environ["PATH"],
        "LANG": "C.UTF-8",
        "HOME": str(home),
        "AGLS_STATE_DIR": str(home / "agls"),
        "AGLS_CONFIG": str(bench.config),
        "MEASURE": json.dumps(asked),
        **homes,
    }
    plugin = f"set runtimepath^={CLIENT}"
    argv = [
        _nvim(),
        "--headless",
        "--clean",
        "-n",
        "-i",
        "NONE",
        "--cmd",
        plugin,
        "-S",
        HERE / "definitions.lua",
    ]
    bench.model.log()  # what was asked before is forgotten
    done = subprocess.run(
        argv,
        cwd=bench.workspace,
        env=environment,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        raise Broken(f"Neovim could not measure definitions: {done.stderr.strip()}")
    alone = [float(value) for value in own.read_text().split()]
    return Definitions(statistics.median(alone) / MS, statistics.median(_turns(bench, count)) / MS)


def _turns(bench: Bench, count: int) -> Sequence[float]:
    log = bench.model.log()
    if len(log) != count + 1 or "[From the editor's language servers.]" not in log[-1]["result"]:
        raise Broken(f"Neovim was not asked {count} times: {log[-1:]}")
    return [after["received"] - before["ended"] for before, after in pairwise(log)]


def _nvim() -> str:
    """Return the program of the user, or the one that the tests of the client have."""
    cache = Path(os.environ.get("AGLS_EDITORS", Path.home() / ".cache" / "agls-editors"))
    return shutil.which("nvim") or next((str(path) for path in cache.glob("neovim-forky/usr/bin/nvim")), "")


def _pyright() -> str:
    return shutil.which("pyright-langserver", path=str(Path(sys.executable).parent)) or ""
