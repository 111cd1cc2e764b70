"""Whether the file of records is as it was written."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

from agls.frozen import frozen
from agls.json_values import is_object
from agls.stores.record_file import PREVIOUS, digest_of, numbered

CHANGED = "it does not follow a line that is there: one before it was changed, moved or taken out"
BESIDE = "it follows the same line as another: it was added, or written while a stopped process held the lock"
UNCHAINED = "it is no record with a link to the line before"


@frozen
class Fault:
    """A line that is not where it was written: its file, its number there (from 1), and what is wrong."""

    file: Path
    line: int
    what: str


@dataclass(slots=True)
class Checked:
    """What was found: `lines` records, of which the first `older` are from before lines were chained.

    `head` is the digest of the last line, "" without lines. `is_cut` is whether the first line follows one
    that is gone: it was in a file that was put aside, or somebody took it out. `is_after` is whether the
    digest that was asked for is that of a line: then everything up to it is what it was.
    """

    lines: int = 0
    older: int = 0
    head: str = ""
    is_cut: bool = False
    is_after: bool = False
    faults: list[Fault] = field(default_factory=list[Fault])


def check(path: Path, known: str = "") -> Checked:
    """Read the file and those that were put aside, the oldest first.

    `known` is a digest that somebody kept elsewhere. **Returns** what was found. **Raises** `OSError`.
    """
    found = Checked()
    digests = set[str]()  # of the lines so far
    followed = set[str]()  # those that a line follows
    for file, number, line in _lines(path):
        previous = _previous(line)
        if previous is None and found.older == found.lines:
            found.older += 1
        elif previous is None:
            found.faults.append(Fault(file, number, UNCHAINED))
        elif not digests:
            found.is_cut = bool(previous)
        elif previous not in digests:
            found.faults.append(Fault(file, number, CHANGED))
        elif previous in followed:
            found.faults.append(Fault(file, number, BESIDE))
        followed.add(previous or "")
        found.lines += 1
        found.head = digest_of(line)
        digests.add(found.head)
    found.is_after = known in digests
    return found


def _lines(path: Path) -> Iterator[tuple[Path, int, bytes]]:
    for file in (*reversed(_put_aside(path)), path):
        if file.exists():
            with file.open("rb") as data:
                for number, line in enumerate(data, 1):
                    yield file, number, line.removesuffix(b"\n")


def _put_aside(path: Path) -> Sequence[Path]:
    files: list[Path] = []
    for number in count(1):
        if not numbered(path, number).exists():
            return files
        files.append(numbered(path, number))
    return files


def _previous(line: bytes) -> str | None:
    """Return the digest that a record begins with, `None` for what is no record."""
    try:
        record = json.loads(line)
    except ValueError:
        return None
    previous = record.get(PREVIOUS) if is_object(record) else None
    return previous if isinstance(previous, str) else None
