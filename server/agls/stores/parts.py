"""What views made of the parts of a session, kept beside its journal: to show it again needs no fold.

The file is made of the journal, like the outlines (`outlines.py`), and only read to show something sooner.
A part counts when the same version of agls made it, in the same epoch, and the journal has the same lines up
to its end. Delete the file whenever you like.

Its first line says which parts follow, and how many bytes each has; behind it they stand one after the other.
"""

import logging
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast
from zlib import crc32

from agls import __version__
from agls.engine.ports import JournalError, Part
from agls.stores.codec import sealed, unsealed
from agls.stores.disk import READ, read_all, replace_whole
from agls.stores.entries import Lines
from agls.stores.journal_reader import open_file

SUFFIX = ".parts"
Row = tuple[int, int, str, int, int]  # its begin and its end, a digest of the lines up to there, size, CRC-32
_log = logging.getLogger(__name__)


def read_parts(journal: Path, epoch: str, version: int, lines: Lines) -> Mapping[Part, bytes]:
    """Return the parts of the session that count; none when there are none to read."""
    try:
        fd = open_file(journal.with_suffix(SUFFIX), READ)
        try:
            header, _, data = read_all(fd).partition(b"\n")
        finally:
            os.close(fd)
        about, *rows = unsealed(header)
    except (OSError, JournalError, ValueError):  # there is none, or not to its end
        return {}
    if about != _about(epoch, version):
        return {}
    known: dict[Part, bytes] = {}
    place = 0
    for start, end, digest, size, checksum in cast(list[Row], rows):
        part = data[place : place + size]
        place += size
        if end <= len(lines) and lines.digest(end) == digest and crc32(part) == checksum:
            known[start, end] = part
    return known


def write_parts(journal: Path, epoch: str, version: int, lines: Lines, parts: Mapping[Part, bytes]) -> None:
    """Keep these for who opens the session next. What the disk refuses is logged, and no loss."""
    rows: list[Row] = [
        (start, end, lines.digest(end), len(part), crc32(part)) for (start, end), part in parts.items()
    ]
    try:
        replace_whole(
            journal.with_suffix(SUFFIX), sealed([_about(epoch, version), *rows]) + b"".join(parts.values())
        )
    except OSError as error:
        _log.warning("the parts of %s cannot be kept: %s", journal.stem, error)


def _about(epoch: str, version: int) -> dict[str, Any]:
    return {"parts": version, "agls": __version__, "epoch": epoch}
