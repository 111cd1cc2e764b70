"""A session's file as another process writes it: read on and on, never written."""

import os
import threading
from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from agls.engine.facts import Entry, Fact
from agls.engine.ports import JournalBusy, JournalError
from agls.stores.codec import Damaged, Header, checksum_of, decode, name_of
from agls.stores.disk import READ, locked_inodes
from agls.stores.entries import JournalEntries, entries_of
from agls.stores.journal_reader import open_file, read_open
from agls.stores.unkept import NothingKept


def busy(session_id: str) -> JournalBusy:
    """Return the error that another process has the lock of this session."""
    return JournalBusy(
        f"Session {session_id} is open for writing elsewhere: in an editor, or in a terminal. "
        f"Close it there (or end that agls process). To read it meanwhile: agls sessions show {session_id}"
    )


class FileTail(NothingKept):
    """The port `Tail` over a journal file. What is not written to its end yet is read when it is."""

    trouble = ""

    def __init__(self, path: Path) -> None:
        """Read the entries that are there. **Raises** `JournalError`."""
        self.session_id = path.stem
        self._path = path
        self._fd = open_file(path, READ)
        self._reading = threading.Lock()
        try:
            reading, _ = read_open(self._fd, path.stem)
        except BaseException:
            self.close()
            raise
        self.epoch = reading.epoch
        self.asked = reading.asked
        self.damage = ""
        self._lines, self._whole = reading.lines, reading.whole

    def more(self) -> None:
        """Take in the lines that were completed since. **Raises** `JournalError`."""
        with self._reading:
            try:
                self._check()
                data = os.pread(self._fd, os.fstat(self._fd).st_size - self._whole, self._whole)
                for line in BytesIO(data):
                    if line.endswith(b"\n"):
                        self._take(line[:-1])
                        self._whole += len(line)
            except (OSError, Damaged) as error:
                raise JournalError(f"Session {self.session_id} cannot be read on: {error}.") from error

    def held(self) -> bool:
        """Return whether some process writes the session; true where the system does not say."""
        held = locked_inodes()
        return held is None or os.fstat(self._fd).st_ino in held

    def append(self, *entries: Entry) -> None:
        """Refuse: another process writes this session. **Raises** `JournalBusy`."""
        raise busy(self.session_id)

    async def sync(self, later: float = 0.0) -> None:
        """Refuse, as `append` does. **Raises** `JournalBusy`."""
        raise busy(self.session_id)

    def entries(self, after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after`, as far as they were read."""
        return JournalEntries(self._lines)[after:]

    def of(self, kind: type[Fact], after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after` with a fact of this kind."""
        return entries_of(self._lines, kind, after)

    def close(self) -> None:
        """Read no more."""
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1

    def _check(self) -> None:
        there, here = self._path.lstat(), os.fstat(self._fd)
        if (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino) or here.st_size < self._whole:
            raise Damaged("its file was replaced")

    def _take(self, line: bytes) -> None:
        found = decode(line, self._lines.since)
        if isinstance(found, Header):
            raise Damaged("it was mended, and its numbers go on from an earlier one")
        if found.seq != len(self._lines) + 1:
            raise Damaged(f"its entry {found.seq} stands where {len(self._lines) + 1} should")
        self._lines.add(found, name_of(found.fact), checksum_of(line))
