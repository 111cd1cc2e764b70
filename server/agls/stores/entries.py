"""The entries of a journal, each decoded when somebody asks for it: the last page of a session needs few."""

from array import array
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import overload

from agls.engine.facts import Entry, Fact
from agls.engine.ports import JournalError
from agls.stores.codec import KINDS, Damaged, decode


class Lines:
    """The lines of a journal that are entries: as bytes without the line end, until they are decoded.

    `places` are those of the facts of each name.
    """

    def __init__(self) -> None:
        self.all: list[Entry | bytes] = []
        self.places = defaultdict[str, list[int]](list)
        self._checksums = array("I")

    def __len__(self) -> int:
        return len(self.all)

    @property
    def since(self) -> float:
        """The time of the first entry, from which the others count; 0 before there is one."""
        return self.entry(0).at if self.all else 0.0

    def add(self, line: Entry | bytes, name: str, checksum: int) -> None:
        """Add the next one; `name` is that of its fact, `checksum` that of the line."""
        self.places[name].append(len(self.all))
        self._checksums.append(checksum)
        self.all.append(line)

    def digest(self, count: int) -> str:
        """Return a digest of the first `count` lines, which is another where one of them is."""
        return sha256(self._checksums[:count]).hexdigest()[:32]

    def entry(self, place: int) -> Entry:
        """Return the entry at this place. **Raises** `JournalError` when it is no JSON, whatever it is."""
        line = self.all[place]
        if isinstance(line, Entry):
            return line
        try:
            entry = decode(line, self.since if place else 0.0)
        except Damaged as error:
            raise JournalError(f"Entry {place + 1} is as it was written, and yet {error}.") from error
        assert isinstance(entry, Entry)
        self.all[place] = entry
        return entry


class JournalEntries(Sequence[Entry]):
    """The entries at some places of a journal; what is added later is not among them."""

    def __init__(self, lines: Lines, places: Sequence[int] | None = None) -> None:
        self._lines = lines
        self._places = range(len(lines)) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> "JournalEntries": ...
    def __getitem__(self, index: int | slice) -> "Entry | JournalEntries":
        if isinstance(index, slice):
            return JournalEntries(self._lines, self._places[index])
        return self._lines.entry(self._places[index])

    def __iter__(self) -> Iterator[Entry]:
        return map(self._lines.entry, self._places)

    def __reversed__(self) -> Iterator[Entry]:
        return map(self._lines.entry, reversed(self._places))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and [*self] == [*other]

    def __hash__(self) -> int:
        raise TypeError("entries are compared as a list is, and have no hash either")


def entries_of(lines: Lines, kind: type[Fact], after: int = 0) -> JournalEntries:
    """Return the entries behind number `after` with a fact of this kind; others are not decoded for it."""
    places = lines.places[KINDS[kind]]
    return JournalEntries(lines, places[bisect_left(places, after) :])
