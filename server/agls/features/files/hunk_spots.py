"""Where the hunks of a patch stand in a text, and the text with them."""

from collections.abc import Sequence
from itertools import takewhile

from agls.frozen import frozen
from agls.regex import regex
from agls.room.line_ends import line_end_of

from .patch_parts import PatchHunk, PatchRow

LINE = regex(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")


@frozen
class Patched:
    """A text after its hunks: the line (from 1) of each, and whether white space was matched loosely."""

    text: str
    lines: tuple[int, ...]
    loose: bool = False


@frozen
class Spot:
    """Where a hunk stands: the index of its first line, and its rows as the file has them.

    `number` is the hunk's own.
    """

    start: int
    rows: tuple[PatchRow, ...]
    final_end: bool | None = None
    loose: bool = False
    number: int = 0

    @property
    def stop(self) -> int:
        """The index behind its last old line."""
        return self.start + sum(row.sign != "+" for row in self.rows)

    @property
    def is_still(self) -> bool:
        """Whether all its lines stay: it leads to the hunk behind it."""
        return all(row.sign == " " for row in self.rows)

    @property
    def first(self) -> int:
        """The index of its first line that does not only stay, or before which lines come."""
        head = sum(1 for _ in takewhile(lambda row: row.sign == " ", self.rows))
        return self.start + head % len(self.rows) if self.rows else self.start

    @property
    def changed(self) -> int:
        """The index behind its last line that does not only stay."""
        tail = takewhile(lambda row: row.sign == " ", reversed(self.rows))
        return self.stop - sum(1 for _ in tail)


def text_with(text: str, pieces: Sequence[str], spots: Sequence[Spot]) -> Patched:
    """Return the text; of lines that stay every byte is kept, new ones get the file's line end."""
    line_end = line_end_of(text)
    ended = not text or text.endswith(("\n", "\r"))
    result: list[str] = []
    places: dict[int, int] = {}
    done = 0
    for spot in spots:
        result += pieces[done : spot.start]
        done = spot.start
        places[spot.number] = len(result) + 1 + spot.first - spot.start
        ends: list[str] = []  # of lines that go: those in their places end as they did
        for row in spot.rows:
            if row.sign == "+":
                result.append(row.text + (ends.pop(0) if ends else line_end))
                continue
            if row.sign == "-":
                ends.append(end_of(pieces[done]) or line_end)
            else:
                result.append(pieces[done])
                ends.clear()
            done += 1
        if spot.final_end is not None and spot.stop >= len(pieces):
            ended = spot.final_end
    result += pieces[done:]
    whole = [piece if piece.endswith(("\n", "\r")) else piece + line_end for piece in result]
    made = "".join(whole)
    if not ended and whole:
        made = made[: -len(end_of(whole[-1]))]
    lines = tuple(places[number] for number in sorted(places))
    return Patched(made, lines, any(spot.loose for spot in spots))


def after(one: Patched, other: Patched, hunks: Sequence[PatchHunk]) -> Patched:
    """Return a text whose hunks were made in two steps, the `other` of them in what the first ones left."""
    came = {line: len(hunk.new) - len(hunk.old) for line, hunk in zip(other.lines, hunks, strict=True)}
    moved = (line + sum(more for at, more in came.items() if at < line) for line in one.lines)
    return Patched(other.text, (*moved, *other.lines), one.loose or other.loose)


def end_of(line: str) -> str:
    """Return the end of a line, "" where it has none."""
    return line[len(line.rstrip("\r\n")) :]
