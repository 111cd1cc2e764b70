"""Reading journal files, with or without their lock: everything before the first bad line."""

import os
import stat
from io import BytesIO
from pathlib import Path

from agls.engine.facts import Entry
from agls.engine.ports import JournalError, NoSuchSession
from agls.frozen import frozen
from agls.stores.codec import Damaged, Header, decode
from agls.stores.disk import READ, read_all

SUFFIX = ".jsonl"


@frozen
class Reading:
    """The contents of a journal file: `whole` is how many of its bytes are sound, `damage` what is not.

    `epoch` is "" when the header is lost. That costs nothing else: the entries are kept. `asked` is the
    request that the session was made for.
    """

    entries: list[Entry]
    epoch: str
    whole: int
    damage: str = ""
    asked: str = ""


def read(data: bytes) -> Reading:
    """Return everything before the first bad line. **Raises** `JournalError` for a newer agls's file."""
    entries: list[Entry] = []
    epoch = ""
    whole = 0
    damage = ""
    asked = ""
    for number, line in enumerate(BytesIO(data), 1):
        try:
            found = _decode_line(line, len(entries) + 1)
        except Damaged as error:
            damage = f"line {number}: {error}"
            if number > 1:
                break
            whole = len(line)
            continue
        whole += len(line)
        if isinstance(found, Header):
            epoch, asked = found.epoch, found.asked
        else:
            entries.append(found)
    return Reading(entries, epoch, whole, damage, asked)


def _decode_line(line: bytes, seq: int) -> Entry | Header:
    if not line.endswith(b"\n"):
        raise Damaged("it was not written to its end")
    found = decode(line[:-1])
    if isinstance(found, Entry) and found.seq != seq:
        raise Damaged(f"it is entry {found.seq} where {seq} should stand")
    return found


def read_file(path: Path) -> Reading:
    """Return the contents of a journal file.

    **Raises** `JournalError` when there is nothing that can be read.
    """
    fd = open_file(path, READ)
    try:
        return read_open(fd, path.stem)[0]
    finally:
        os.close(fd)


def open_file(path: Path, flags: int) -> int:
    """Open the journal file, never through a link. **Returns** its descriptor. **Raises** `JournalError`."""
    try:
        fd = os.open(path, flags)
    except FileNotFoundError:
        raise NoSuchSession(f"There is no session {path.stem}.") from None
    except OSError as error:
        raise JournalError(f"The file of session {path.stem} cannot be opened: {error.strerror}.") from error
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        raise JournalError(f"The file of session {path.stem} is not a regular file: {path}.")
    return fd


def read_open(fd: int, session_id: str) -> tuple[Reading, bytes]:
    """Return the contents of the open file, and its bytes.

    **Raises** `JournalError` when there is nothing to read.
    """
    try:
        data = read_all(fd)
        reading = read(data)
    except OSError as error:
        raise JournalError(f"The file of session {session_id} cannot be read: {error.strerror}.") from error
    except JournalError as error:
        raise JournalError(f"Session {session_id} cannot be read: {error}.") from error
    if not reading.epoch and not reading.entries:
        raise JournalError(f"There is no session in the file of {session_id}: {reading.damage or 'empty'}.")
    return reading, data
