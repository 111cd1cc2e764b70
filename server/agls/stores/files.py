"""Sessions in files: one journal each, in a private folder; the files are the truth, all else is derived."""

import asyncio
import fcntl
import logging
import os
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import count
from pathlib import Path
from uuid import uuid4

from agls.engine.facts import Entry
from agls.engine.ports import Journal, JournalError, Tail
from agls.engine.vocabulary import SessionRow
from agls.stores.codec import Header, encode
from agls.stores.disk import APPEND, CREATE, PRIVATE, flush_folder, make_private, sweep, write_new
from agls.stores.entries import Lines
from agls.stores.journal import FileJournal
from agls.stores.journal_reader import SUFFIX, Reading, open_file, read_file, read_open
from agls.stores.outlines import SUFFIX as OUTLINES
from agls.stores.parts import SUFFIX as PARTS
from agls.stores.rows import checked
from agls.stores.scratch import Scratch
from agls.stores.tail import FileTail, busy

TRANSCRIPT = ".md"  # of the file beside the journal that doors write for people
_log = logging.getLogger(__name__)


class CannotKeep(JournalError):
    """The disk has no place for a session."""


class FileStore:
    """The port `Store` over `<state_dir>/sessions/<session id>.jsonl` and a catalogue beside it.

    All methods work on the disk: call them off the event loop. Nothing is made before the first session.
    `records` is where the records of ended runs are, if any are kept.
    """

    def __init__(self, state_dir: Path) -> None:
        self._state_dir = state_dir
        self._folder = state_dir / "sessions"
        self.records = state_dir / "audit" / "audit.jsonl"

    def create(self, session_id: str, asked: str = "") -> Journal:
        """Make a session, locked for this process. **Raises** `JournalError`, `JournalBusy`."""
        path = self._path(session_id)
        try:
            for folder in (self._state_dir, self._folder):
                make_private(folder)
            fd = _created(path)
        except OSError as error:
            from agls.disk_space import why_full  # noqa: PLC0415 - a disk is seldom full

            why, remedy = error.strerror, "Make that folder writable"
            if full := why_full(error, self._folder):
                why, remedy = full, "Free some space there"
            raise CannotKeep(
                f"No session can be kept in {self._folder}: {why}. {remedy}, or choose another state folder "
                "(AGLS_STATE_DIR)."
            ) from error
        return _adopt(fd, path, Reading(Lines(), "", 0, asked=asked))

    def open(self, session_id: str) -> Journal:
        """Open the session, locked for this process.

        A damaged end is moved to `<session id>.jsonl.damaged-<n>`; `damage` of the journal says so.

        **Raises** `JournalError`, `JournalBusy`.
        """
        path = self._path(session_id)
        return _adopt(open_file(path, APPEND), path)

    def peek(self, session_id: str) -> Sequence[Entry]:
        """Return the entries up to the first bad line, which is logged; the file is not locked or changed.

        **Raises** `JournalError`.
        """
        reading = read_file(self._path(session_id))
        if reading.damage:
            _log.warning("the file of %s is damaged, the rest is left out: %s", session_id, reading.damage)
        return reading.entries

    def follow(self, session_id: str) -> Tail:
        """Open the journal that another process writes, to be read as it grows. **Raises** `JournalError`."""
        return FileTail(self._path(session_id))

    def share(self, session_id: str, fork_id: str) -> None:
        """Give a fork the outputs that the session kept whole."""
        Scratch(self._state_dir).share(session_id, fork_id)

    def delete(self, session_id: str) -> None:
        """Remove the session's file, its parts that were set aside, its transcript and its scratch folder.

        **Raises** `JournalError`, `JournalBusy`.
        """
        path = self._path(session_id)
        fd = open_file(path, APPEND)
        try:
            _lock(fd, path)
            Scratch(self._state_dir).remove(session_id)
            path.with_suffix(TRANSCRIPT).unlink(missing_ok=True)
            path.with_suffix(OUTLINES).unlink(missing_ok=True)
            path.with_suffix(PARTS).unlink(missing_ok=True)
            for file in (*self._folder.glob(f"{path.name}.damaged-*"), path):
                file.unlink()
            flush_folder(self._folder)
        except OSError as error:
            raise JournalError(f"Session {session_id} cannot be deleted: {error.strerror}.") from error
        finally:
            os.close(fd)

    def list(
        self, *, cwd: str = "", search: str = "", cursor: str = "", limit: int = 50
    ) -> tuple[Sequence[SessionRow], str]:
        """Return the sessions that have entries, newest first, and the next cursor.

        **Raises** `JournalError`.
        """
        from agls.stores.catalogue import Catalogue  # noqa: PLC0415 - SQLite is not for every start

        try:
            return Catalogue(self._state_dir, self._folder).page(cwd, search, cursor, max(limit, 1))
        except OSError as error:
            raise JournalError(
                f"The sessions in {self._folder} cannot be listed: {error.strerror}."
            ) from error

    async def tidy(self) -> None:
        """Remove the unfinished files of killed processes from the state folder. **Raises** `OSError`."""
        below = (self._state_dir / name for name in ("sessions", "blobs", "grants"))
        await asyncio.to_thread(sweep, self._state_dir, *below)

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{checked(session_id)}{SUFFIX}"


def _created(path: Path) -> int:
    """Make a new file. **Raises** `OSError`, and `JournalError` when there is one already."""
    try:
        return os.open(path, CREATE, PRIVATE)
    except FileExistsError:
        return _unbegun(path)


def _unbegun(path: Path) -> int:
    """Return the file of a process that died before it wrote anything.

    **Raises** `JournalError` for any other.
    """
    with suppress(OSError):
        if not path.lstat().st_size:
            return open_file(path, APPEND)
    raise JournalError(f"There is already a session {path.stem}.")


def _adopt(fd: int, path: Path, new: Reading | None = None) -> FileJournal:
    """Lock the file, mend it if it is not `new`, and make it a journal; it is closed when that fails."""
    try:
        _lock(fd, path)
        if new:
            return _begin(fd, path, new)
        reading, data = read_open(fd, path.stem)
        if reading.whole < len(data):
            kept = _set_aside(fd, path, reading.whole, data)
            reading = replace(reading, epoch="", damage=f"{reading.damage}; that and the rest is in {kept}")
        if reading.damage:
            _log.warning("session %s was damaged: %s", path.stem, reading.damage)
        return FileJournal(path, fd, reading) if reading.epoch else _begin(fd, path, reading)
    except BaseException:
        os.close(fd)
        raise


def _begin(fd: int, path: Path, reading: Reading) -> FileJournal:
    """Begin a numbering: the first, or a new epoch where others may have seen the old one further."""
    header = Header(path.stem, uuid4().hex, time.time(), reading.asked)
    return FileJournal(path, fd, replace(reading, epoch=header.epoch), encode(header))


def _lock(fd: int, path: Path) -> None:
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise busy(path.stem) from None
    except OSError as error:
        raise CannotKeep(
            f"The file system of {path.parent} cannot lock files ({error.strerror}): "
            "use a state folder on a local disk."
        ) from error


def _set_aside(fd: int, path: Path, whole: int, data: bytes) -> str:
    """Move the bytes behind the first `whole` ones to a file of its own. **Returns** its name."""
    names = (f"{path.name}.damaged-{number}" for number in count(1))
    name = next(name for name in names if not os.path.lexists(path.with_name(name)))
    try:
        write_new(path.with_name(name), data[whole:])
        flush_folder(path.parent)
        os.ftruncate(fd, whole)
    except OSError as error:
        raise JournalError(
            f"Session {path.stem} is damaged and cannot be mended: {error.strerror}. Nothing was "
            f"changed. Make room in {path.parent} and open it again; it can be read meanwhile."
        ) from error
    return name
