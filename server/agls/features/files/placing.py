"""Where the hunks of a patch belong in a text.

A hunk stands where its old lines are. Where they are several times, its anchors decide, then the hunk before
it, then the line it names; where nothing decides, nothing is changed. A line that stays is kept as it is.
A hunk may begin with the lines that end the one before it, as long as those stay.
"""

import re
from collections.abc import Callable, Iterator, Sequence, Set
from dataclasses import replace

from .bare_hunks import is_proved, is_right
from .hunk_order import free, is_within, side_by_side
from .hunk_proofs import CLEAR, before_the_next, exact_places, in_section, line_meant, unknown_name
from .hunk_spots import LINE, Patched, Spot, after, text_with
from .indentation import indent_like
from .look_alikes import LOOK_ALIKES
from .misses import listed
from .patch_parts import PatchHunk, PatchRow
from .unplaced import REPEATED, Unplaced, above_anchor, ambiguous, missed, no_place, not_there, out_of_order
from .whole_lines import is_telling

MISSES = 3  # hunks without a place that are reported: each costs a look at the whole file
LineForm = Callable[[str], str]
_FORMS: tuple[LineForm, ...] = (
    lambda line: line,
    lambda line: line.rstrip(),
    lambda line: line.strip(),
    lambda line: line.strip().translate(LOOK_ALIKES),
)


def apply_hunks(text: str, hunks: Sequence[PatchHunk], *, again: bool = False) -> Patched:
    """Return the text with all the hunks made; `again` says that these very hunks were made before.

    A hunk may stand in lines that the hunks before it have made. **Raises** `Unplaced`, for the first hunks
    without a place.
    """
    try:
        return _all_at_once(text, hunks, again=again)
    except Unplaced as problem:
        made = None if again else _upon_each_other(text, hunks, problem.first)
        if made is None:
            raise
        return made


def _upon_each_other(text: str, hunks: Sequence[PatchHunk], first: int) -> Patched | None:
    """Return the text, if the lines of the `first` hunk without a place are made by the ones before it."""
    done, left = hunks[: first - 1], hunks[first - 1 :]
    if not done or not left[0].old or exact_places(left[0], _lines(text)):
        return None
    rest = [replace(hunk, number=at, line=None) for at, hunk in enumerate(left, 1)]
    try:
        made = _all_at_once(text, done, again=False)
        is_there = exact_places(left[0], _lines(made.text))
        return after(made, apply_hunks(made.text, rest), rest) if is_there else None
    except Unplaced:
        return None


def _lines(text: str) -> Sequence[str]:
    return [piece.rstrip("\r\n") for piece in LINE.findall(text)]


def _all_at_once(text: str, hunks: Sequence[PatchHunk], *, again: bool) -> Patched:
    """Return the text with the hunks made where their lines stand in it. **Raises** `Unplaced`."""
    pieces = LINE.findall(text)
    lines = [piece.rstrip("\r\n") for piece in pieces]
    spots: list[Spot] = []
    problems: list[str] = []
    first = 0
    for hunk in sorted(hunks, key=lambda hunk: hunk.comes_at > 0):  # what others prove about the lines counts
        try:
            place = _bare if hunk.comes_at else _place
            spot = place(hunk, lines, spots, hunks)
            if line := _line_already(spot, lines, again=again):
                raise Unplaced(REPEATED.format(number=hunk.number, line=line))
        except Unplaced as problem:
            first = first or hunk.number
            problems.append(str(problem))
            if len(problems) == MISSES and hunk is not hunks[-1]:
                problems.append(f"[The hunks after hunk {hunk.number} were not looked at.]")
                break
            continue
        spots.append(replace(spot, number=hunk.number))
    if problems:
        raise Unplaced("\n".join(problems), first)
    return text_with(text, pieces, side_by_side(spots))


# --- where a hunk stands --------------------------------------------------------------------------


def _place(hunk: PatchHunk, lines: Sequence[str], before: Sequence[Spot], hunks: Sequence[PatchHunk]) -> Spot:
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
                if hunk.line is not None:
                    if not below or hunk.line < _lowest(before, hunks):
                        below = _free(trimmed, spots, lines, before)
                    else:
                        _check_order(trimmed, spots, below, lines, led=led or not before)
                    spot = _numbered(trimmed, below, lines, hunks)
                else:
                    _check_order(trimmed, spots, below, lines, led=led or not before)
                    if not led and len(below) == 1 and (name := unknown_name(hunk, hunks, lines)):
                        raise Unplaced(not_there(hunk, name, below[0]))
                    left = before_the_next(hunk, below, hunks, lines) or below
                    led = led or (left[0].start >= cursor and _is_led_to(cursor, before))
                    spot = _in_order(trimmed, left, lines, start, led=led, is_first=not before)
                if trimmed is not hunk and lines[spot.start : spot.start + len(hunk.new)] == hunk.new:
                    raise Unplaced(REPEATED.format(number=hunk.number, line=spot.start + 1))
                return spot
    raise Unplaced(missed(hunk, lines))


def _in_order(
    hunk: PatchHunk, below: Sequence[Spot], lines: Sequence[str], start: int, *, led: bool, is_first: bool
) -> Spot:
    """Return the one of the spots below the hunk before this one that is meant. **Raises** `Unplaced`."""
    if is_first:
        _check_anchor(hunk, [each for each in below if each.start >= start], lines)
    if led and not any(spot.start >= start for spot in below):
        raise Unplaced(above_anchor(hunk, below, start, lines))
    if hunk.ends_file and (last := [spot for spot in below if spot.stop == len(lines)]):
        return last[0]
    left = [spot for spot in below if spot.start >= start] if led else below
    if led and start and len(hunk.having(" ")) < CLEAR:
        left = [spot for spot in left if is_within(spot.start, start - 1, lines)] or left[:1]
    is_clear = len(left) == 1 or (len(hunk.having(" ")) >= CLEAR and (led or not is_first))
    if not is_clear:
        raise Unplaced(ambiguous(hunk, left, lines))
    return left[0]


def _is_led_to(line: int, before: Sequence[Spot]) -> bool:
    """Return whether the hunk that ends before this line changes nothing: it leads to the one behind it."""
    return any(spot.stop == line and spot.is_still for spot in before)


def _numbered(
    hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str], hunks: Sequence[PatchHunk]
) -> Spot:
    """Return the one of these spots that is meant by a hunk of a diff. **Raises** `Unplaced`."""
    meant = line_meant(hunk, hunks, lines) if len(spots) > 1 else 0
    named = [spot for spot in spots if spot.start + 1 == meant]
    if len(spots) == 1 or named:
        return (named or spots)[0]
    if spot := in_section(hunk, spots, lines):
        return spot
    raise Unplaced(ambiguous(hunk, spots, lines))


def _lowest(before: Sequence[Spot], hunks: Sequence[PatchHunk]) -> int:
    """Return the last line that one of the hunks before named."""
    numbers = {spot.number for spot in before}
    return max((hunk.line or 0 for hunk in hunks if hunk.number in numbers), default=0)


def _free(
    hunk: PatchHunk, spots: Sequence[Spot], lines: Sequence[str], before: Sequence[Spot]
) -> Sequence[Spot]:
    """Return the spots for a hunk of a diff that stands above the one before it. **Raises** `Unplaced`."""
    left = free(spots, before)
    if not left:
        raise Unplaced(out_of_order(hunk, spots[0], lines))
    return left


def _check_order(
    hunk: PatchHunk, spots: Sequence[Spot], below: Sequence[Spot], lines: Sequence[str], *, led: bool
) -> None:
    """Check that the hunk is not meant for a place above the hunk before it. **Raises** `Unplaced`.

    The anchors do not speak against the order when they have `led` below that one.
    """
    if not below:
        raise Unplaced(out_of_order(hunk, spots[0], lines))
    head, is_above = (0, False) if led else _below_anchors(hunk, lines, 0)
    first = next((spot for spot in spots if spot.start >= head), below[0])
    if is_above and first.start < below[0].start and not is_within(below[0].start, head - 1, lines):
        raise Unplaced(out_of_order(hunk, first, lines))


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
    raise Unplaced(no_place(hunk, lines))


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
