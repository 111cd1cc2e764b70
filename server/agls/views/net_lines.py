"""How many lines of a file really changed when several patches followed each other."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

from agls.diff import Hunk, read_patch

END = 1 << 60  # of a file whose length nobody knows
COMPARED = 1_000_000  # pairs of lines; beyond that they count as all different


class KeptLines(NamedTuple):
    """Lines of the original that are still there, by number; `stop` is `END` where the end of the file is."""

    start: int
    stop: int


Piece = KeptLines | list[str]


class NetLines:
    """A file as pieces: what is left of the original, and new lines between them.

    `is_known` is whether all patches fitted onto each other: somebody else may have changed the file too.
    """

    def __init__(self) -> None:
        self.is_known = True
        self._pieces: list[Piece] = [KeptLines(0, END)]
        self._gone: dict[int, str] = {}

    def apply(self, patch: str, insertions: int, deletions: int) -> None:
        """Follow one more patch, with so many lines in all (it may have been cut)."""
        hunks = read_patch(patch)
        whole = sum(len(h.new) for h in hunks) == insertions and sum(len(h.old) for h in hunks) == deletions
        self.is_known = self.is_known and whole
        for hunk in reversed(hunks):
            if self.is_known:
                self._replace(hunk)

    def counts(self) -> tuple[int, int]:
        """Return how many lines came and how many went, compared with the original."""
        came = went = 0
        for old, new in self._gaps():
            same = _common(old, new)
            came, went = came + len(new) - same, went + len(old) - same
        return came, went

    def _replace(self, hunk: Hunk) -> None:
        before, rest = _split(self._pieces, hunk.was)
        taken, after = _split(rest, len(hunk.old))
        at = 0
        for piece in taken:
            size = len(piece) if isinstance(piece, list) else piece.stop - piece.start
            lines = hunk.old[at : at + size]
            if isinstance(piece, list):
                self.is_known = self.is_known and tuple(piece) == lines
            else:
                self._gone |= dict(zip(range(piece.start, piece.start + size), lines, strict=True))
            at += size
        self.is_known = self.is_known and at == len(hunk.old)
        self._pieces = [*before, list(hunk.new), *after]

    def _gaps(self) -> Iterator[tuple[list[str], list[str]]]:
        """Between two pieces of the original: the lines of it that are gone, and those there now."""
        new: list[str] = []
        expected = 0
        for piece in self._pieces:
            if isinstance(piece, list):
                new += piece
                continue
            yield [self._gone[number] for number in range(expected, piece.start)], new
            new, expected = [], piece.stop
        yield [self._gone[number] for number in sorted(self._gone) if number >= expected], new


def _split(pieces: Iterable[Piece], at: int) -> tuple[list[Piece], list[Piece]]:
    """The pieces of the first `at` lines, and the others."""
    head: list[Piece] = []
    tail: list[Piece] = []
    for piece in pieces:
        size = len(piece) if isinstance(piece, list) else piece.stop - piece.start
        cut = min(max(at, 0), size)
        one, other = _cut(piece, cut)
        head += [one] if _some(one) else []
        tail += [other] if _some(other) else []
        at -= size
    return head, tail


def _cut(piece: Piece, at: int) -> tuple[Piece, Piece]:
    if isinstance(piece, list):
        return piece[:at], piece[at:]
    return KeptLines(piece.start, piece.start + at), KeptLines(piece.start + at, piece.stop)


def _some(piece: Piece) -> bool:
    return bool(piece) if isinstance(piece, list) else piece.stop > piece.start


def _common(old: Sequence[str], new: Sequence[str]) -> int:
    if len(old) * len(new) > COMPARED:
        return 0
    return sum(block.size for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks())
