"""The machine: what a process uses, and a description of where it was measured."""

import os
import platform
import statistics
import time
from pathlib import Path

PROC = Path("/proc")


def resident(process_id: int) -> float:
    """The memory of a process and its children, in MiB."""
    return sum(_status(one, "VmRSS") for one in _family(process_id)) / 1024


def peak(process_id: int) -> float:
    """The most memory a process and its living children had, in MiB."""
    return sum(_status(one, "VmHWM") for one in _family(process_id)) / 1024


def size_of(folder: Path) -> int:
    """The bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def described(folder: Path) -> dict[str, str]:
    """The machine, in words; `folder` is where the sessions are written."""
    return {
        "processor": f"{_processor()}, {len(os.sched_getaffinity(0))} cores for us",
        "memory": f"{_total() / 1024**2:.1f} GiB",
        "kernel": f"{platform.system()} {platform.release()}",
        "Python": platform.python_version(),
        "flushing a small write to the disk": f"{_flush_time(folder) * 1000:.1f} ms (median of 20)",
        "load before": " ".join(f"{load:.1f}" for load in os.getloadavg()) + " (1, 5, 15 minutes)",
    }


def _family(process_id: int) -> list[int]:
    found = [process_id]
    for one in found:
        try:
            text = (PROC / f"{one}/task/{one}/children").read_text()
        except OSError:  # it ended
            continue
        found += [int(child) for child in text.split()]
    return found


def _status(process_id: int, name: str) -> int:
    try:
        lines = (PROC / f"{process_id}/status").read_text().splitlines()
    except OSError:  # it ended
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith(name)), 0)


def _processor() -> str:
    lines = (PROC / "cpuinfo").read_text().splitlines()
    return next(
        (line.partition(":")[2].strip() for line in lines if line.startswith("model name")),
        platform.machine(),
    )


def _total() -> int:
    return int((PROC / "meminfo").read_text().split()[1])


def _flush_time(folder: Path) -> float:
    times: list[float] = []
    path = folder / "flushed"
    with path.open("wb", buffering=0) as file:
        for _ in range(20):
            file.write(b"x" * 200)
            start = time.perf_counter()
            os.fdatasync(file.fileno())
            times.append(time.perf_counter() - start)
    path.unlink()
    return statistics.median(times)
