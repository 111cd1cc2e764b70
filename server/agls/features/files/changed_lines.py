"""A few lines of a file as an edit left it, so that the model need not read it again."""

from collections.abc import Iterator

from agls.diff import Hunk, compare, read_patch
from agls.engine.vocabulary import FileChange
from agls.short_text import cut_around

from .lines import flatten, numbered

AROUND = 2  # lines that stayed, at each end of a change
PLACES = 3  # changes that are shown
HEIGHT = 12  # lines of one that are shown
WIDTH = 200  # characters of a changed line that are shown
SHOWN = WIDTH + 60  # the same, with what says how many are left out


def changed_lines(
    change: FileChange, *, counted: bool = True, texts: tuple[str, str] | None = None
) -> list[str]:
    """Return the changed lines with those around them, numbered; none for a file that came or went.

    How much is left out of a long line is `counted` where the change has the whole line. The `texts` before
    and after it are needed for lines that end with CR alone, which are none of a patch.
    """
    if change.change != "modified":
        return []
    hunks = read_patch(change.patch)
    if any("\r" in line.rstrip("\r\n") for hunk in hunks[:PLACES] for line in (*hunk.old, *hunk.new)):
        hunks = read_patch(compare("", *map(flatten, texts)).text) if texts else []
    rows = dict.fromkeys(
        row for hunk in hunks[:PLACES] for row in _shown(hunk, counted=counted)
    )  # neighbours share lines
    more = len(hunks) - PLACES
    return [*rows, *([f"[{more} more changes are not shown.]"] if more > 0 else ())]


def _shown(hunk: Hunk, *, counted: bool) -> Iterator[str]:
    before = hunk.before[-AROUND:]
    old = [*hunk.old, *[""] * len(hunk.new)]
    pairs = [(line.rstrip("\r\n"), was) for line, was in zip(hunk.new, old, strict=False)]
    new = [cut_around(line, was, WIDTH, counted=counted) for line, was in pairs]
    around = [[line.rstrip("\r\n") for line in some] for some in (before, hunk.after[:AROUND])]
    lines = [*around[0], *new, *around[1]]
    first = hunk.line - len(before) + 1
    if len(lines) <= HEIGHT:
        yield from numbered(lines, first, SHOWN)
        return
    half = HEIGHT // 2
    yield from numbered(lines[:half], first, SHOWN)
    yield "…"
    yield from numbered(lines[-half:], first + len(lines) - half, SHOWN)
