"""Runs commands in a process that adopts what is below it, a line about each: see `test_keepers.py`."""

import asyncio
import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

from agls.engine.ports import Command
from agls.workspace.keepers import FREQUENT, keepers
from agls.workspace.orphans import adopt
from agls.workspace.processes import Processes


def children() -> dict[int, bytes]:
    """The processes below this one that run, with their command lines."""
    found = Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()
    lines = {int(each): Path(f"/proc/{each}/cmdline").read_bytes() for each in found}
    return {process: line for process, line in lines.items() if line}


def host() -> int:
    """The process that forks keepers, 0 when there is none."""
    return next((process for process, line in children().items() if b"keeper_host" in line), 0)


def say(what: dict[str, Any]) -> None:
    """Write what is known of a command."""
    sys.stdout.write(json.dumps(what) + "\n")


async def step(processes: Processes, what: Any) -> None:
    """Do one step, and write what is known of a command."""
    match what:
        case "WARM":  # frequent commands start the process that forks
            for _ in range(FREQUENT):
                await processes.run(Command(("true",)), FOLDER, ".", lambda _: None)
            until = time.monotonic() + 20
            while not keepers.is_warm and time.monotonic() < until:
                await asyncio.sleep(0.01)
        case "KILL" | "STOP":
            os.kill(host(), signal.SIGKILL if what == "KILL" else signal.SIGSTOP)
        case "CONTINUE":
            if here := host():
                os.kill(here, signal.SIGCONT)
        case "LEAVE":
            say({"host": host()})
        case _:
            asked = {"run": what} if isinstance(what, str) else what
            before = host() if keepers.is_warm else 0
            command = Command(
                ("sh", "-c", asked["run"]), stdin="what it reads\n", reports=bool(asked.get("reports"))
            )
            done = await processes.run(command, FOLDER, str(Path.cwd()), lambda _: None)
            names = ("exit_code", "signal", "output", "left_over", "report")
            alive = len(children().keys() - {host()})
            is_forked = before > 0 and before == host()
            say({"forked": is_forked, "alive": alive, **{name: getattr(done, name) for name in names}})


async def main() -> None:
    """Do all steps."""
    assert adopt()
    processes = Processes(os.environ)
    for what in json.loads(sys.argv[1]):
        await step(processes, what)
    await processes.aclose()


FOLDER = os.open(".", os.O_RDONLY | os.O_DIRECTORY)
asyncio.run(main())
