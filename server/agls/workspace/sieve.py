"""Ripgrep as a sieve: it says which files hold one of some texts, so that the others are not read.

It gets folders and files by name and reads no ignore file, no configuration and no link, so that nothing in a
folder can make it run away. This module is used in isolated programs: it imports only the standard library.
"""

import os
import stat
from collections.abc import Iterable, Iterator, Sequence

from agls.workspace.walker import Folder

FEW = 50  # files of a folder that are named one by one
ARGUMENTS = 500_000  # bytes of names that one program gets; the system allows two million
FIRST, MOST = 200, 20_000  # files of the first batch, and of a later one
_ERROR = 2  # the exit code of ripgrep that says so


class Sieve:
    """Finds the files that hold one of the texts, which are ASCII in small letters, whatever the case."""

    def __init__(self, ripgrep: str, texts: Sequence[str], max_bytes: int) -> None:
        options = ("--no-config", "-0lFai", "--no-messages", "--no-ignore", "--hidden", "--max-depth", "1")
        wanted = (part for text in texts for part in ("-e", text))
        self._argv = [ripgrep, *options, "--max-filesize", str(max_bytes), *wanted, "--"]
        self._max_bytes = max_bytes
        self.works = bool(ripgrep and texts)

    def sieved(self, folders: Iterable[Folder]) -> Iterator[Folder]:
        """The folders with the files that are left: while ripgrep looks at a batch, the next is walked."""
        if not self.works:
            yield from folders
            return
        ahead: tuple[list[Folder], _Running] | None = None
        for batch in _batches(folders):
            running = _Running(self._arguments(batch))
            if ahead:
                yield from _left(*ahead)
            ahead = batch, running
        if ahead:
            yield from _left(*ahead)

    def _arguments(self, batch: Iterable[Folder]) -> list[str]:
        names: list[str] = []
        for folder in batch:
            place = _place(folder.parts)
            if folder.whole or len(folder.files) > FEW:
                names.append(place)
            else:  # of what is named to it ripgrep reads everything: pipes, and files of any size
                paths = (f"{place}/{name}" for name in folder.files)
                names += (path for path in paths if _is_small_file(path, self._max_bytes))
        return [*self._argv, *names] if names else []


class _Running:
    """Ripgrep at work; it ends with this program, when it is not waited for."""

    def __init__(self, argv: list[str]) -> None:
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

    def found(self) -> frozenset[bytes] | None:
        """The paths that it gave; `None` when it failed, and nothing is known."""
        with os.fdopen(self._source, "rb") as reader:
            said = reader.read()
        if self._pid < 0 or (self._pid and os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1]) == _ERROR):
            return None
        return frozenset(said.split(b"\0"))


def _batches(folders: Iterable[Folder]) -> Iterator[list[Folder]]:
    """The folders in portions that grow: the first answers come soon, and few programs are started."""
    batch: list[Folder] = []
    files, size, room = 0, 0, FIRST
    for folder in folders:
        batch.append(folder)
        files += len(folder.files)
        size += len(os.fsencode(_place(folder.parts))) * (1 if folder.whole else FEW)
        if files >= room or size > ARGUMENTS:
            yield batch
            batch, files, size, room = [], 0, 0, min(4 * room, MOST)
    if batch:
        yield batch


def _left(batch: Iterable[Folder], running: _Running) -> Iterator[Folder]:
    found = running.found()
    for folder in batch:
        if found is None:
            yield folder
            continue
        place = _place(folder.parts)
        files = [name for name in folder.files if os.fsencode(f"{place}/{name}") in found]
        if files:
            yield folder._replace(files=files, whole=False)


def _place(parts: Sequence[str]) -> str:
    return "/".join((".", *parts))


def _is_small_file(path: str, max_bytes: int) -> bool:
    try:
        status = os.lstat(path)
    except (OSError, ValueError):
        return False
    return stat.S_ISREG(status.st_mode) and status.st_size <= max_bytes
