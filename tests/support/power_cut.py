"""A power cut: of what was written to a folder, only what was flushed is certainly on the disk.

A file holds what it held when it was last flushed, and any beginning of what was written behind that, perhaps
with nothing (zeros) in the place of a piece, as a disk writes its blocks in any order. Names
that were made, moved or removed since their folder was flushed are as they are now, or as they were then: for
each folder by chance. What SQLite writes it flushes itself, and is left as it is.
"""

import os
import random
import stat
import threading
from pathlib import Path

OF_SQLITE = ("-wal", "-shm", ".db", ".sqlite", ".sqlite3")


class PowerCut:
    """Follows the flushes below a folder, and makes of it what a power cut would leave."""

    def __init__(self, folder: Path, seed: int) -> None:
        self._folder, self._chance, self._lock = folder, random.Random(seed), threading.Lock()
        self._names: dict[str, dict[str, int]] = {}  # of each folder, as it was flushed
        self._flushed: dict[int, bytes] = {}
        self._held: list[int] = []  # descriptors: so no number of a file is given to another one
        for path in [folder, *folder.rglob("*")] if folder.exists() else []:
            if path.is_dir() or path.is_file():
                fd = os.open(path, os.O_RDONLY)
                self.flushed(fd)
                os.close(fd)

    def flushed(self, fd: int) -> None:
        """This file or folder was flushed."""
        with self._lock:
            info, path = os.fstat(fd), str(Path(f"/proc/self/fd/{fd}").readlink())
            if stat.S_ISDIR(info.st_mode):
                self._names[path] = _names_in(Path(path))
            elif stat.S_ISREG(info.st_mode):
                with Path(f"/proc/self/fd/{fd}").open("rb") as file:
                    self._flushed[info.st_ino] = file.read()
                self._held.append(os.dup(fd))

    def happen(self) -> None:
        """Leave on the disk what a power cut would."""
        if self._folder.exists():
            self._cut(self._folder)

    def _cut(self, folder: Path) -> None:
        now, then = _names_in(folder), self._names.get(str(folder), {})
        now_held = {
            number: (folder / name).read_bytes() for name, number in now.items() if _is_file(folder / name)
        }
        kept = self._chance.choice([now, then])
        for name in now:
            path = folder / name
            if path.is_dir():
                self._cut(path)  # one without a flushed name is found empty, or not at all
                if name not in kept and not any(path.iterdir()):
                    path.rmdir()
            elif not name.endswith(OF_SQLITE):
                path.unlink()
        for name, number in kept.items():
            if not (folder / name).exists() and (number in self._flushed or number in now_held):
                (folder / name).write_bytes(self._content(number, now_held.get(number)))
                (folder / name).chmod(0o600)

    def _content(self, number: int, written: bytes | None) -> bytes:
        flushed = self._flushed.get(number, b"")
        if written is None:
            return flushed
        if not written.startswith(flushed):
            return self._chance.choice([flushed, written])
        end = self._chance.randint(len(flushed), len(written))
        first, last = sorted(self._chance.randint(len(flushed), end) for _ in range(2))
        if self._chance.random() < 0.7:
            return written[:end]
        return written[:first] + bytes(last - first) + written[last:end]


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _names_in(folder: Path) -> dict[str, int]:
    return {entry.name: entry.inode() for entry in os.scandir(folder)}
