"""Ripgrep as a sieve: it finds the files that contain one of some texts; the others are not read.

It gets folders and files by name and reads no ignore file, no configuration and no link, so that nothing in a
folder can make it run away. This module is used in isolated programs: it imports only the standard library.
"""

import os
import select
import signal
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Protocol

from agls.workspace.walker import Folder

FEW = 50  # files of a folder that are named one by one
ARGUMENTS = 500_000  # bytes of names that one program gets; the system allows two million
SIZES = (100, 1_000, 4_000, 20_000)  # files of the first batches; those after have as many as the last
STALL = 2.0  # seconds without a word after which a batch is taken to hold an endless file
_OPTIONS = (
    *("--no-config", "-0lFi", "--no-messages", "--no-ignore", "--hidden", "--max-depth", "1"),
    "--binary",  # else it stops at the first zero byte, and nobody hears of the matches behind it
)
_ERROR = 2  # the exit code of ripgrep that says so


class Running(Protocol):
    """Ripgrep at work on one batch."""

    stalled: bool

    def found(self, stall: float | None) -> Sequence[bytes] | None:
        """Return the paths it printed; `None` when it failed, or `stalled` for so many seconds."""
        ...


class Sieve:
    """A filter for files that contain one of the texts (ASCII in small letters) in any case.

    `start` runs ripgrep with these arguments in the folder that is searched.
    """

    def __init__(
        self,
        ripgrep: str,
        texts: Sequence[str],
        max_bytes: int,
        start: Callable[[list[str]], Running] | None = None,
        sizes: Sequence[int] = SIZES,
        stall: float = STALL,
    ) -> None:
        wanted = (part for text in texts for part in ("-e", text))
        self._start, self._sizes = start or Spawned, sizes
        self._argv = [ripgrep, *_OPTIONS, *wanted]
        self._max_bytes = max_bytes
        self._stall: float | None = stall
        self.works = bool(ripgrep and texts)

    def sieved(self, root: int, folders: Iterable[Folder]) -> Iterator[Folder]:
        """Yield the folders of the open `root` with the files that are left.

        While ripgrep looks at a batch, the next is walked.

        The first files are all left: where a text is common they are enough, and they are there at once.
        """
        if not self.works:
            yield from folders
            return
        batches = _batches(folders, self._sizes)
        first = next(batches, list[Folder]())
        if sum(len(folder.files) for folder in first) <= self._sizes[1]:
            yield from first
        else:
            batches = chain([first], batches)
        ahead: tuple[list[Folder], Running, list[bytes]] | None = None
        for batch in batches:
            arguments, large = self._arguments(root, batch)
            running = self._start(arguments)
            if ahead:
                yield from self._left(*ahead)
            ahead = batch, running, large
        if ahead:
            yield from self._left(*ahead)

    def _left(self, batch: Iterable[Folder], running: Running, large: Sequence[bytes]) -> Iterator[Folder]:
        found = running.found(self._stall)
        if found is None:
            yield from batch
        else:
            yield from _those_of(batch, (*found, *large))
        if running.stalled and self._stall:
            self._argv += ("--max-filesize", str(self._max_bytes))  # a look at every size: a fifth more time
            self._stall = None

    def _arguments(self, root: int, batch: Iterable[Folder]) -> tuple[list[str], list[bytes]]:
        """Return what ripgrep is started with, and the paths of large files that it will not look at."""
        names: list[str] = []
        large: list[bytes] = []
        for folder in batch:
            place = _place(folder.parts)
            is_whole = folder.whole or len(folder.files) > FEW
            if is_whole:
                names.append(place)
            if not is_whole or self._stall is None:
                # ripgrep reads every file that is named to it: pipes, and files of any size
                sizes = [(path, _size(root, path)) for path in (f"{place}/{name}" for name in folder.files)]
                large += (os.fsencode(path) for path, size in sizes if size > self._max_bytes)
                names += (path for path, size in sizes if 0 <= size <= self._max_bytes and not is_whole)
        return [*self._argv, "--", *names] if names else [], large


class Spawned:
    """Ripgrep as a child of this program; it ends with it, when it is not waited for."""

    def __init__(self, argv: list[str]) -> None:
        self.stalled = False
        self._source, sink = os.pipe()
        nothing = os.open(os.devnull, os.O_RDWR)
        streams = [
            (os.POSIX_SPAWN_DUP2, handle, number) for number, handle in enumerate((nothing, sink, nothing))
        ]
        try:
            self._pid = os.posix_spawn(argv[0], argv, {}, file_actions=streams) if argv else 0
        except OSError:
            self._pid = -1
        finally:
            os.close(sink)
            os.close(nothing)

    def found(self, stall: float | None) -> Sequence[bytes] | None:
        """See `Running`."""
        with os.fdopen(self._source, "rb") as source:
            said = bytearray()
            while not self.stalled and (part := self._read(source.fileno(), stall)):
                said += part
        if self._pid < 0 or (self._pid and self._ended_badly()):
            return None
        return bytes(said).split(b"\0")[:-1]

    def _read(self, source: int, stall: float | None) -> bytes:
        if select.select([source], [], [], stall)[0]:
            return os.read(source, 1 << 16)
        self.stalled = True
        return b""

    def _ended_badly(self) -> bool:
        if self.stalled:
            os.kill(self._pid, signal.SIGKILL)
        status = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        return status == _ERROR or status < 0


def _batches(folders: Iterable[Folder], sizes: Sequence[int]) -> Iterator[list[Folder]]:
    """Yield the folders in batches of growing size: the first answers come soon, from few programs."""
    batch: list[Folder] = []
    files, size = 0, 0
    rooms = list(sizes)
    for folder in folders:
        batch.append(folder)
        files += len(folder.files)
        size += len(os.fsencode(_place(folder.parts))) * (1 if folder.whole else FEW)
        if files >= rooms[0] or size > ARGUMENTS:
            yield batch
            batch = []
            files, size = 0, 0
            rooms = rooms[1:] or rooms
    if batch:
        yield batch


def _those_of(batch: Iterable[Folder], found: Iterable[bytes]) -> Iterator[Folder]:
    """Yield the folders of the batch with the files that were found."""
    names: dict[str, set[str]] = {}
    for path in found:
        place, _, name = os.fsdecode(path).rpartition("/")
        names.setdefault(place, set()).add(name)
    for folder in batch:
        files = names.get(_place(folder.parts), set()).intersection(folder.files)
        if files or folder.unsaved:
            yield folder._replace(files=list(files), whole=False)


def _place(parts: Sequence[str]) -> str:
    return "/".join((".", *parts))


def _size(root: int, path: str) -> int:
    """Return the size of a regular file, -1 for anything else."""
    try:
        status = os.lstat(path, dir_fd=root)
    except (OSError, ValueError):
        return -1
    return status.st_size if stat.S_ISREG(status.st_mode) else -1
