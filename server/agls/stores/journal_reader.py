"""Reading journal files, with or without their lock: everything before the first bad line."""

import os
import stat
from collections.abc import Sequence
from pathlib import Path
from zlib import crc32

from agls.engine.facts import Entry
from agls.engine.ports import JournalError, NoSuchSession
from agls.frozen import frozen
from agls.regex import regex
from agls.stores.codec import SEALED, Damaged, Header, checksum_of, decode, name_of
from agls.stores.disk import READ, read_all
from agls.stores.entries import JournalEntries, Lines

SUFFIX = ".jsonl"
HEAD = regex(rb'\d+,-?\d+(?:\.\d+)?,"([a-z_]+)",[\[{]')
"""The beginning of an entry behind its checksum: its number, its time, and the name of its fact."""


@frozen
class Reading:
    """The contents of a journal file: `whole` is how many of its bytes are sound, `damage` what is not.

    Of `lines` only the checksums and numbers were looked at.
    `epoch` is "" when the header is lost. That costs nothing else: the entries are kept. `asked` is the
    request that the session was made for.
    """

    lines: Lines
    epoch: str
    whole: int
    damage: str = ""
    asked: str = ""

    @property
    def entries(self) -> JournalEntries:
        """The entries."""
        return JournalEntries(self.lines)


def read(data: bytes) -> Reading:
    """Return everything before the first bad line. **Raises** `JournalError` for a newer agls's file."""
    lines = Lines()
    epoch = ""
    damage = ""
    asked = ""
    *complete, torn = data.split(b"\n")
    number = 0
    while number < len(complete):
        if taken := _take(lines, complete, number):
            number += taken
            continue
        line = complete[number]
        number += 1
        try:
            found = _decoded(line, len(lines) + 1, lines.since)
            if isinstance(found, Header):
                epoch, asked = found.epoch, found.asked
            else:
                lines.add(found, name_of(found.fact), checksum_of(line))
        except Damaged as error:
            damage = f"line {number}: {error}"
            if number > 1:
                number -= 1
                break
    else:
        if torn:
            damage = f"line {number + 1}: it was not written to its end"
    whole = sum(map(len, complete[:number])) + number
    return Reading(lines, epoch, whole, damage, asked)


def _take(lines: Lines, complete: Sequence[bytes], start: int) -> int:
    """Take in entries from this line on, up to one that is damaged, or another line. **Returns** how many."""
    known = len(lines)
    add, match = lines.add, HEAD.match
    seq = known
    for place in range(start, len(complete)):
        line = complete[place]
        checksum = crc32(line[SEALED:])
        if not line.startswith(b'["%08x",%d,' % (checksum, seq + 1)) or not (head := match(line, SEALED)):
            break
        add(line, head[1].decode(), checksum)
        seq += 1
    return seq - known


def _decoded(line: bytes, seq: int, since: float) -> Entry | Header:
    found = decode(line, since)
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
    if not reading.epoch and not reading.lines:
        raise JournalError(f"There is no session in the file of {session_id}: {reading.damage or 'empty'}.")
    return reading, data
