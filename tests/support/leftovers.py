"""What the system says of processes (Linux)."""

import itertools
import time
from pathlib import Path

from support.wire import Wire


def gone(pid: int) -> bool:
    """Whether a process is no more."""
    return not Path(f"/proc/{pid}").exists()


def at_rest(wire: Wire) -> None:
    """Wait until the server has done what it can do: for half a second nothing of it wants the processor."""
    looks = ["now", *(str(look) for look in range(4))]
    while len(set(looks[-5:])) > 1:
        looks.append(_doing(wire.process.pid))
        time.sleep(0.1)


_numbers = itertools.count()


def _doing(pid: int) -> str:
    """The processor time that its threads used, if all of them sleep; else something new each time."""
    used: list[str] = []
    for thread in Path(f"/proc/{pid}/task").iterdir():
        state, *fields = (thread / "stat").read_text().rpartition(")")[2].split()
        used.append(f"{thread.name} {fields[10]} {fields[11]}" if state == "S" else f"busy {next(_numbers)}")
    return ", ".join(used)


def resident(wire: Wire) -> float:
    """Memory of a server, in MB; 0 when it has ended."""
    return resident_of(wire.process.pid)


def peak(wire: Wire) -> float:
    """The most memory a server has had, in MB; 0 when it has ended."""
    return _said_of(wire.process.pid, "VmHWM:")


def resident_of(pid: int) -> float:
    """Memory of a process, in MB; 0 when it has ended."""
    return _said_of(pid, "VmRSS:")


def _said_of(pid: int, what: str) -> float:
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return 0
    return int(("0" + status.partition(what)[2].strip()).split()[0]) / 1024


def processes_with(mark: str) -> list[int]:
    """Return the processes in whose command line this stands."""
    return [int(folder.name) for folder in Path("/proc").glob("[0-9]*") if mark in _command_line(folder)]


def _command_line(folder: Path) -> str:
    try:
        return (folder / "cmdline").read_text(errors="replace")
    except OSError:  # it has ended
        return ""
