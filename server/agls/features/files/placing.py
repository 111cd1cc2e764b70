"""Where the hunks of a patch belong in a text.

A hunk stands where its old lines are. Where they are several times, its anchors decide, then the hunk before
it, then the line it names; where nothing decides, nothing is changed. A line that stays is kept as it is.
A hunk may begin with the lines that end the one before it, as long as those stay.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from agls.engine.ports import WorkspaceError

from .bare_hunks import is_proved, is_right, placeless
from .hunk_order import free, is_within, side_by_side
from .hunk_spots import LINE, Patched, Spot, text_with
from .indentation import indent_like
from .lines import numbered
from .misses import Wording, describe_miss, listed
from .mistakes import LOOK_ALIKES
from .patch_parts import PatchHunk, PatchRow
from .whole_lines import is_telling

MISSES = 3  # hunks without a place that are reported: each costs a look at the whole file
REPEATED = (
    "The lines that hunk {number} adds are already there, with those around them, from line {line} on; "
    "nothing was changed. Leave it out, or give the lines that follow them, too, if they are wanted twice."
)
SHOWN = 10  # lines of a hunk that are shown
WIDTH = 1_000  # characters of a line that are shown
LineForm = Callable[[str], str]
_FORMS: tuple[LineForm, ...] = (
    lambda line: line,
    lambda line: line.rstrip(),
    lambda line: line.strip(),
    lambda line: line.strip().translate(LOOK_ALIKES),
)


class Unplaced(WorkspaceError):
    """A hunk has no place; the message says what is near it."""


def apply_hunks(text: str, hunks: Sequence[PatchHunk], *, again: bool = False) -> Patched:
    """Return the text with all the hunks made; `again` says that these very hunks were made before.

    **Raises** `Unplaced`, for the first hunks without a place.
    """
    pieces = LINE.findall(text)
    lines = [piece.rstrip("\r\n") for piece in pieces]
    spots: list[Spot] = []
    problems: list[str] = []
    lowest = 0  # the last line that a hunk named
    for hunk in sorted(hunks, key=lambda hunk: hunk.comes_at > 0):  # what others prove about the lines counts
        try:
            spot = _bare(hunk, lines, spots, hunks) if hunk.comes_at else _place(hunk, lines, spots, lowest)
            if line := _line_already(spot, lines, again=again):
                raise Unplaced(REPEATED.format(number=hunk.number, line=line))
        except Unplaced as problem:
            problems.append(str(problem))
            if len(problems) == MISSES and hunk is not hunks[-1]:
                problems.append(f"[The hunks after hunk {hunk.number} were not looked at.]")
                break
            continue
        spots.append(replace(spot, number=hunk.number))
        lowest = max(lowest, hunk.line or 0)
    if problems:
        raise Unplaced("\n".join(problems))
    return text_with(text, pieces, side_by_side(spots))


# --- where a hunk stands --------------------------------------------------------------------------


def _place(hunk: PatchHunk, lines: Sequence[str], before: Sequence[Spot], lowest: int) -> Spot:
    """Return where the hunk stands. **Raises** `Unplaced`."""
    cursor = max((spot.stop for spot in before), default=0)
    start, led = _below_anchors(hunk, lines, cursor)
    if not hunk.old:
        return _addition(hunk, lines, start, led=led)
    readings = [*_readings(hunk, frozenset(lines))]
    for form in _FORMS:
        for trimmed in readings:
            if spots := list(_matches(trimmed, lines, form)):
                below = _below_the_last(trimmed, spots, cursor, before)
                if hunk.line is not None and (not below or hunk.line < lowest):
                    spot = _anywhere(trimmed, spots, lines, before)
                else:
                    _check_order(trimmed, spots, below, lines, led=led or not before)
                    spot = _in_order(trimmed, below, lines, start, led=led, is_first=not before)
                if trimmed is not hunk and lines[spot.start : spot.start + len(hunk.new)] == hunk.new:
                    raise Unplaced(REPEATED.format(number=hunk.number, line=spot.start + 1))
                return spot
    raise Unplaced(_missed(hunk, lines))


def _in_order(
    hunk: PatchHunk, below: Sequence[Spot], lines: Sequence[str], start: int, *, led: bool, is_first: bool
) -> Spot:
    """Return the one of the spots below the hunk before this one that is meant. **Raises** `Unplaced`."""
    if is_first:
        _check_anchor(hunk, [each for each in below if each.start >= start], lines)
    if led and not any(spot.start >= start for spot in below):
        raise Unplaced(_above_anchor(hunk, below, start, lines))
    return _chosen(hunk, below, start, lines, led=led or not is_first)


def _anywhere(hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str], before: Sequence[Spot]) -> Spot:
    """Return the spot that is meant by a hunk of a diff that stands above the one before it.

    **Raises** `Unplaced`.
    """
    left = free(spots, before)
    if not left:
        raise Unplaced(_out_of_order(hunk, spots[0], lines))
    return _chosen(hunk, left, 0, lines, led=False)


def _check_order(
    hunk: PatchHunk, spots: Sequence[Spot], below: Sequence[Spot], lines: Sequence[str], *, led: bool
) -> None:
    """Check that the hunk is not meant for a place above the hunk before it. **Raises** `Unplaced`.

    The anchors do not speak against the order when they have `led` below that one.
    """
    if not below:
        raise Unplaced(_out_of_order(hunk, spots[0], lines))
    head, is_above = (0, False) if led else _below_anchors(hunk, lines, 0)
    first = next((spot for spot in spots if spot.start >= head), below[0])
    if is_above and first.start < below[0].start and not is_within(below[0].start, head - 1, lines):
        raise Unplaced(_out_of_order(hunk, first, lines))


def _below_the_last(
    hunk: PatchHunk, spots: Sequence[Spot], cursor: int, before: Sequence[Spot]
) -> Sequence[Spot]:
    """Return the spots below the hunk before this one, which may begin with lines that end that one.

    Where it may as well stand further down, the line that it names decides.
    """
    below = [spot for spot in spots if spot.start >= cursor]
    shared = [spot for spot in spots if before and before[-1].changed <= spot.start < cursor]
    if below and not any(hunk.line == spot.start + 1 for spot in shared):
        return below
    return shared[:1]


def _above_anchor(hunk: PatchHunk, spots: Sequence[Spot], start: int, lines: Sequence[str]) -> str:
    """Return why a hunk whose lines stand only above its anchor is not made."""
    anchor = hunk.anchors[-1].strip()[:80]
    above = listed([spot.start + 1 for spot in spots])
    new, below = [line.strip() for line in hunk.new], [line.strip() for line in lines]
    made = next((at for at in range(start, len(below)) if new and below[at : at + len(new)] == new), None)
    there = "" if made is None else f" Its new lines stand there already, on line {made + 1}."
    return (
        f"The lines of hunk {hunk.number} stand on {above} only, above `{anchor}`, and not below it; nothing "
        f"was changed.{there} Leave the hunk out, or name a line above those that are meant after @@."
    )


def _line_already(spot: Spot, lines: Sequence[str], *, again: bool) -> int:
    """Return the line (from 1) on which the new lines of a hunk stand around its old ones; 0 for none."""
    old = list(lines[spot.start : spot.stop])
    new = [row.text for row in spot.rows if row.sign != "-"]
    for at in range(len(new) - len(old) + 1) if len(new) > len(old) else ():
        first = spot.start - at
        is_there = first >= 0 and list(lines[first : first + len(new)]) == new
        rest = "\n".join((*new[:at], *new[at + len(old) :]))
        if is_there and new[at : at + len(old)] == old and (again or is_telling(rest)):
            return first + 1
    return 0


def _below_anchors(hunk: PatchHunk, lines: Sequence[str], cursor: int) -> tuple[int, bool]:
    """Return from where on the hunk is looked for, and whether an anchor led there."""
    start, led = cursor, False
    for anchor in hunk.anchors:
        found = _anchor_line(anchor, lines, start)
        if found is not None:
            start, led = found + (lines[found].strip() not in map(str.strip, hunk.old[:1])), True
    return start, led


def _anchor_line(anchor: str, lines: Sequence[str], start: int) -> int | None:
    """Return the index of the line, from `start` on, that is the anchor, or the only one that begins so."""
    for form in _FORMS[:3]:
        wanted = form(anchor)
        if found := [at for at in range(start, len(lines)) if form(lines[at]) == wanted][:1]:
            return found[0]
    head = re.escape(anchor.strip())
    begins = re.compile(rf"\s*{head}" + r"(?!\w)" * anchor.strip()[-1:].isalnum())
    begun = [at for at, line in enumerate(lines) if begins.match(line)]
    return begun[0] if len(begun) == 1 and begun[0] >= start else None


def _addition(hunk: PatchHunk, lines: Sequence[str], start: int, *, led: bool) -> Spot:
    """Return where lines go that come without any old ones: behind an anchor, or at the end of the file."""
    if led:
        return Spot(start, hunk.rows)
    if hunk.ends_file or not lines:
        return Spot(len(lines), hunk.rows, hunk.final_end)
    raise Unplaced(placeless(hunk, lines, SHOWN, WIDTH))


def _bare(hunk: PatchHunk, lines: Sequence[str], others: Sequence[Spot], hunks: Sequence[PatchHunk]) -> Spot:
    """Return where a diff without lines around its changes adds lines. **Raises** `Unplaced`.

    Its number counts when something else shows that the diff is of this very text.
    """
    at = (hunk.line or 1) - 1
    is_meant = is_proved(others, hunks) or is_right(hunk, hunks, lines)
    if lines and at <= len(lines) and is_meant:
        return Spot(at, hunk.rows, hunk.final_end)
    return _addition(hunk, lines, 0, led=False)


def _readings(hunk: PatchHunk, there: Set[str]) -> Iterator[PatchHunk]:
    """Yield the hunk as it is and as it may be meant.

    The empty lines that end it may end only the patch's section, and lines that stay may lack their sign.
    """
    yield hunk
    rows = hunk.rows
    while rows and rows[-1] == PatchRow(" ", ""):
        rows = rows[:-1]
    if rows != hunk.rows and any(row.sign != "+" for row in rows):
        yield replace(hunk, rows=rows)
    unsigned = [row.sign == " " and row.text not in there and f" {row.text}" in there for row in rows]
    if any(unsigned):
        whole = [
            PatchRow(" ", f" {row.text}") if each else row for row, each in zip(rows, unsigned, strict=True)
        ]
        yield replace(hunk, rows=tuple(whole))


def _matches(hunk: PatchHunk, lines: Sequence[str], form: LineForm) -> Iterator[Spot]:
    old = hunk.old
    wanted = [form(line) for line in old]
    if not any(line.strip() for line in wanted) and form is not _FORMS[0]:
        return
    formed = [form(line) for line in lines]
    for start in range(len(lines) - len(old) + 1):
        if formed[start] == wanted[0] and formed[start : start + len(old)] == wanted:
            found = lines[start : start + len(old)]
            if (rows := _as_in_file(hunk.rows, old, found)) is not None:
                yield Spot(start, rows, hunk.final_end, loose=list(found) != old)


def _as_in_file(
    rows: Sequence[PatchRow], old: Sequence[str], found: Sequence[str]
) -> tuple[PatchRow, ...] | None:
    """Return the rows with the file's own lines and indentation, `None` when those are not clear."""
    came = [row.text for row in rows if row.sign == "+"]
    indented = came if list(old) == list(found) else indent_like(old, found, came)
    if indented is None:
        return None
    theirs, ours = iter(found), iter(indented)
    return tuple(PatchRow(row.sign, next(ours if row.sign == "+" else theirs)) for row in rows)


def _chosen(hunk: PatchHunk, spots: Sequence[Spot], start: int, lines: Sequence[str], *, led: bool) -> Spot:
    """Return the one of these spots that is meant. **Raises** `Unplaced` when nothing decides."""
    if hunk.ends_file and (last := [spot for spot in spots if spot.stop == len(lines)]):
        return last[0]
    named = [spot for spot in spots if hunk.line is not None and spot.start == hunk.line - 1]
    below = [spot for spot in spots if spot.start >= start]
    if named:
        return named[0]
    if len(spots) == 1 or (led and hunk.line is None):
        return (below or spots)[0]
    if in_section := _in_section(hunk, spots, lines):
        return in_section
    raise Unplaced(_ambiguous(hunk, spots, lines))


def _ambiguous(hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str]) -> str:
    places = listed([spot.start + 1 for spot in spots])
    return (
        f"Hunk {hunk.number} fits in {len(spots)} places, {places}; nothing was changed. Add lines around "
        f"it, or name a line above it after @@.{_unknown(hunk, lines)}"
    )


def _in_section(hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str]) -> Spot | None:
    """Return the spot nearest to the line of the diff, if it is the first one below its section line."""
    if not hunk.section or hunk.line is None:
        return None
    stand = [at for at, line in enumerate(lines) if line.startswith(hunk.section)]
    below = next((spot for spot in spots if stand and spot.stop > stand[0]), None)
    far = sorted(abs(spot.start + 1 - hunk.line) for spot in spots)
    is_nearest = below and abs(below.start + 1 - hunk.line) == far[0] < far[1]
    return below if len(stand) == 1 and is_nearest else None


def _check_anchor(hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str]) -> None:
    """Check that the only anchor does not lead to several of these spots. **Raises** `Unplaced`."""
    if len(spots) < 2 or len(hunk.anchors) != 1:
        return
    anchor = hunk.anchors[0].strip()
    stand = [at for at, line in enumerate(lines) if line.strip() == anchor]
    led = [at for at in stand if any(at <= spot.start for spot in spots)]
    nearest = {max((at for at in led if at <= spot.start), default=-1) for spot in spots} - {-1}
    if len(nearest) > 1:
        raise Unplaced(
            f"Hunk {hunk.number} fits behind several lines `{anchor[:80]}`, "
            f"{listed([at + 1 for at in sorted(nearest)])}; nothing was changed. Name what they are in, too, "
            "in a line of its own above: @@ class A, then @@ def f."
        )


def _unknown(hunk: PatchHunk, lines: Sequence[str]) -> str:
    """Return which of the anchors is no line of the file, "" for none."""
    there = {line.strip() for line in lines}
    missing = next((anchor.strip() for anchor in hunk.anchors if anchor.strip() not in there), "")
    return f" No line of the file is `{missing[:80]}`: give the whole line." if missing else ""


def _out_of_order(hunk: PatchHunk, spot: Spot, lines: Sequence[str]) -> str:
    there = numbered(list(lines[spot.start : spot.stop][:SHOWN]), spot.start + 1, WIDTH)
    return "\n".join(
        [
            f"Hunk {hunk.number} overlaps the one before it, or stands above it; nothing was changed. Give "
            "the hunks in the order of the file. Its lines are:",
            *there,
        ]
    )


def _missed(hunk: PatchHunk, lines: Sequence[str]) -> str:
    name = f"hunk {hunk.number}"
    words = Wording(name, f"the new text of {name}", "Lines that stay or go must be as they are in the file.")
    report = describe_miss("\n".join(lines), "\n".join(hunk.old), "\n".join(hunk.new), words)
    return report[0].upper() + report[1:]
