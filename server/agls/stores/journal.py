"""One session's journal in a file: written by one process, never torn, never ahead of the lock."""

import asyncio
import fcntl
import logging
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from agls.engine.facts import Entry, Fact
from agls.engine.ports import JournalError, Part
from agls.engine.rests import Rests
from agls.stores.codec import checksum_of, encode, name_of
from agls.stores.disk import flush_folder
from agls.stores.entries import JournalEntries, entries_of
from agls.stores.journal_reader import Reading
from agls.stores.outlines import read_outlines, write_outlines
from agls.stores.parts import read_parts, write_parts

_log = logging.getLogger(__name__)
_flush = getattr(os, "fdatasync", os.fsync)  # macOS has only the latter


class FileJournal:
    """The port `Journal` over an open, locked file.

    All entries are also in memory. What is not yet known to be on the disk itself stays in
    `_tail`, so that it can be written again after the disk refused a write or lost one.
    """

    def __init__(self, path: Path, fd: int, reading: Reading, opening: bytes = b"") -> None:
        """Take over `fd`; `opening` is written first (a header)."""
        self.session_id = path.stem
        self.epoch = reading.epoch
        self.damage, self.asked = reading.damage, reading.asked
        self.trouble = ""
        self._path = path
        self._name = str(path)
        self._fd = fd
        self._lines = reading.lines
        self._durable = reading.whole  # bytes that need not be written again
        self._tail = bytearray(opening)  # the bytes behind them
        self._written = 0  # how many of the tail's bytes the operating system has
        self._torn = False  # whether the file may be longer than that
        self._ended = ""  # why nothing more may be written
        self._flushed = True  # whether the last flush did not fail
        self._listed = False  # whether the folder's entry for the file is durable
        self._syncing = asyncio.Lock()
        self.append()

    def append(self, *entries: Entry) -> None:
        """Write the entries; see the port. **Raises** `JournalError` when this is not the writer any more."""
        self._require_writer()
        for entry in entries:
            if entry.seq != len(self._lines) + 1:
                raise ValueError(f"entry {entry.seq} cannot follow entry {len(self._lines)}")
            line = encode(entry, self._lines.since)
            self._tail += line
            self._lines.add(entry, name_of(entry.fact), checksum_of(line))
        if self._written < len(self._tail):
            self._write()

    async def sync(self, later: float = 0.0) -> None:
        """Make all that was appended survive a power cut; calls that wait for the same share one flush.

        It begins so many seconds `later`, with the entries appended meanwhile. Entries that the disk refused
        before are tried again; a refusal now is in `trouble`.

        **Raises** `JournalError` when this is not the writer any more.
        """
        if later:
            await asyncio.sleep(later)
        self.append()
        target = self._durable + len(self._tail)
        async with self._syncing:
            if self._durable < target and not self._ended:
                await self._make_durable()
        if self._ended:
            raise JournalError(self._ended)

    def entries(self, after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after`."""
        return JournalEntries(self._lines)[after:]

    def of(self, kind: type[Fact], after: int = 0) -> Sequence[Entry]:
        """Return the entries behind number `after` with a fact of this kind."""
        return entries_of(self._lines, kind, after)

    def rests(self) -> Rests:
        """Return the rests that are kept beside the file."""
        return read_outlines(self._path, self.epoch, JournalEntries(self._lines))

    def keep_rests(self, rests: Rests) -> None:
        """Keep these rests for who opens the session next, unless this is not the writer any more."""
        if not self._ended and not self._usurped():
            write_outlines(self._path, self.epoch, rests)

    def parts(self, version: int) -> Mapping[Part, bytes]:
        """Return the parts that are kept beside the file."""
        return read_parts(self._path, self.epoch, version, self._lines)

    def keep_parts(self, version: int, parts: Mapping[Part, bytes]) -> None:
        """Keep these parts for who opens the session next, unless this is not the writer any more."""
        if not self._ended and not self._usurped():
            write_parts(self._path, self.epoch, version, self._lines, parts)

    def close(self) -> None:
        """Give the file back. Nothing can be appended afterwards."""
        if self._fd < 0:
            return
        if self._written < len(self._tail) and not self._ended and not self._usurped():
            self._write()
        if self._written < len(self._tail):
            _log.error("session %s was closed with unsaved entries: %s", self.session_id, self.trouble)
        self._ended = self._ended or f"Session {self.session_id} is closed: open it again to write to it."
        fcntl.flock(self._fd, fcntl.LOCK_UN)
        os.close(self._fd)
        self._fd = -1

    def _require_writer(self) -> None:
        if not self._ended and (usurped := self._usurped()):
            self._ended = (
                f"{usurped}. Nothing more is written to session {self.session_id} from here: "
                "open it again to go on with what is in its file."
            )
            _log.error("%s", self._ended)
        if self._ended:
            raise JournalError(self._ended)

    def _usurped(self) -> str:
        """Return why this process may not write any more, "" while it may."""
        try:
            fcntl.flock(self._fd, fcntl.LOCK_EX | fcntl.LOCK_NB)  # it is ours: this asks, and costs nothing
            there, here = os.lstat(self._name), os.fstat(self._fd)
        except BlockingIOError:
            return "Another process took the lock of the session's file"
        except (FileNotFoundError, NotADirectoryError):
            return "The session's file was deleted"
        except OSError:
            return ""  # the disk is in trouble, and the write will say so
        if (there.st_dev, there.st_ino) != (here.st_dev, here.st_ino):
            return "The session's file was replaced"
        if here.st_size != self._durable + self._written and not self._torn:
            return "The session's file was changed by another program"
        return ""

    def _write(self) -> None:
        with memoryview(self._tail) as tail:
            written = self._written
            try:
                if self._torn:
                    os.ftruncate(self._fd, self._durable + written)
                self._torn = True
                while written < len(tail):
                    with tail[written:] as rest:
                        written += os.write(self._fd, rest)
            except OSError as error:
                self._complain(error)
                return
        self._torn = False
        self._written = len(self._tail)
        self._settle()

    async def _make_durable(self) -> None:
        count = self._written
        try:
            await asyncio.to_thread(self._flush_file, self._fd)
        except OSError as error:
            if not self._ended:  # the bytes that the system had taken may be lost: write all of them again
                self._written = 0
                self._torn = True
                self._flushed = False
                self._complain(error)
            return
        del self._tail[:count]
        self._durable += count
        self._written -= count
        self._flushed = True
        self._settle()

    def _flush_file(self, fd: int) -> None:
        """Flush the file. **Raises** `OSError`, also when it was closed before the thread began."""
        _flush(fd)
        if not self._listed:
            flush_folder(self._path.parent)
            self._listed = True

    def _settle(self) -> None:
        if self._flushed and self._written == len(self._tail):
            self.trouble = ""

    def _complain(self, error: OSError) -> None:
        if not self.trouble:
            _log.error("session %s cannot be saved: %s", self.session_id, error)
        folder = self._path.parent
        from agls.disk_space import why_full  # noqa: PLC0415 - a disk is seldom full

        full = why_full(error, folder)
        remedy = "Free some space there" if full else f"Make {folder} writable again (check the disk)"
        self.trouble = (
            f"{full[:1].upper()}{full[1:] or error.strerror}: the latest steps of this session are only in "
            f"memory. {remedy}; saving is tried again with every step, and nothing is lost while agls runs."
        )
