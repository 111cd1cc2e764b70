"""A witness of effects: which programs a process started and which files it changed, from strace.

Each process and thread has a record of its own (`-ff`), so no line is torn; `-y` says which folder a
name is relative to.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

CALLS = (
    "process,open,openat,creat,rename,renameat,renameat2,unlink,unlinkat,mkdir,mkdirat,rmdir,truncate,"
    + ("ftruncate,link,linkat,symlink,symlinkat")
)
BEGUN = re.compile(r"(?:clone3?|v?fork)\(.*\) += (\d+)$")
WRITTEN = re.compile(r"open(?:at)?\(.*(?:O_WRONLY|O_RDWR|O_CREAT).*\) += \d+<(?P<path>[^>]*)>")
NAMED = re.compile(r"(?:rename|unlink|mkdir|rmdir|link|symlink|truncate)\w*\((?P<arguments>.*)\) += 0$")
PLACE = re.compile(r'(?:(?:AT_FDCWD|\d+)<(?P<folder>[^>]*)>, )?"(?P<name>[^"]*)"')
KEEPER = "keeper.main()"
HOST = "keeper_host import main"  # the process that keepers are forked from
UNFINISHED = ".agls-write-"  # files of the server that are renamed, or removed again


class Effects:
    """The command line that runs a program under strace, and afterwards what it did."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        folder.mkdir()
        options = ["-ff", "-y", "-qq", "-s", "100000", "-e", "signal=none", "-e", f"trace={CALLS}"]
        self.prefix = ["strace", *options, "-o", str(folder / "pid")]

    @property
    def commands(self) -> list[str]:
        """What the server had its keepers run, one line of arguments each."""
        lines, parents = self._lines, self._parents
        begun = [line for own in self._own for line in _starts(lines[own]) if KEEPER in line]
        for pid in lines:
            above = parents.get(parents.get(parents.get(pid, 0), 0), 0)  # the keeper, and who forked it
            begun += _starts(lines[pid])[:1] if above in self._hosts else []
        return begun

    @property
    def other_programs(self) -> list[str]:
        """The programs that the server started in any other way."""
        started = [line for own in self._own for line in _starts(self._lines[own])]
        return [
            line for line in started[1:] if KEEPER not in line and HOST not in line
        ]  # the first is the server

    @property
    def changed(self) -> set[str]:
        """The files that the server itself wrote, removed or gave a name to."""
        found = {path for own in self._own for line in self._lines[own] for path in _changed(line)}
        return {path for path in found if not path.startswith("/dev/") and UNFINISHED not in path}

    @property
    def _lines(self) -> dict[int, list[str]]:
        files = sorted(self._folder.glob("pid.*"), key=lambda path: int(path.suffix[1:]))
        return {int(path.suffix[1:]): path.read_text().splitlines() for path in files}

    @property
    def _parents(self) -> dict[int, int]:
        lines = self._lines
        return {int(begun[1]): pid for pid in lines for line in lines[pid] if (begun := BEGUN.match(line))}

    @property
    def _hosts(self) -> set[int]:
        return {pid for pid, lines in self._lines.items() if any(HOST in line for line in _starts(lines))}

    @property
    def _own(self) -> list[int]:
        """The server's process, its threads, and its children up to what they become: a keeper ends that."""
        lines = self._lines
        parents = self._parents
        first = next(pid for pid in lines if pid not in parents)
        kept = {pid for pid in lines if any(KEEPER in line for line in _starts(lines[pid]))} | self._hosts

        def is_own(pid: int) -> bool:
            return pid == first or (pid in parents and parents[pid] not in kept and is_own(parents[pid]))

        return [pid for pid in lines if is_own(pid)]


def _starts(lines: list[str]) -> list[str]:
    return [line for line in lines if line.startswith("execve") and line.endswith(" = 0")]


def _changed(line: str) -> Iterator[str]:
    if written := WRITTEN.match(line):
        yield written["path"]
    elif named := NAMED.match(line):
        for place in PLACE.finditer(named["arguments"]):
            yield os.path.join(place["folder"] or "", place["name"])  # noqa: PTH118 - an absolute name stays
