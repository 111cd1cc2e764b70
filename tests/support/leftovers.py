"""What the system says of processes (Linux)."""

import time
from pathlib import Path

from support.wire import Wire


def gone(pid: int, patience: float) -> bool:
    """Whether a process is no more, after `patience` seconds at most."""
    until = time.monotonic() + patience
    while time.monotonic() < until:
        if not Path(f"/proc/{pid}").exists():
            return True
        time.sleep(0.02)
    return False


def resident(wire: Wire) -> float:
    """Memory of a server, in MB; 0 when it has ended."""
    return resident_of(wire.process.pid)


def resident_of(pid: int) -> float:
    """Memory of a process, in MB; 0 when it has ended."""
    try:
        status = Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return 0
    return int(("0" + status.partition("VmRSS:")[2].strip()).split()[0]) / 1024
