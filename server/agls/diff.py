"""Differences of texts: unified diffs made and read, their single changes, and where those stand later.

A patch is bounded in time and in length. Only LF ends a line.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import chain
from typing import Any, NamedTuple

from agls.regex import regex
from agls.terminal_codes import KEY_MARK

AROUND = 3  # unchanged lines that are kept around a change
_COMPARED = 2000  # lines; a larger change is shown as one block, because comparing is quadratic
_LONGEST = 200_000  # characters of a patch
CUT = "[The rest of this patch is left out.]"  # no other line of a patch begins like this
_HEAD = regex(r"@@ -(\d+),(\d+) \+(\d+),(\d+) @@")
_FILE = regex(
    r"^(?:\*\*\* ?(?:Update|Add|Delete) File: +|--- (?:a/)?(?=.*\n\+\+\+ )|\+\+\+ (?:b/)?|rename to )"
    r"([^\t\n]+)",
    re.MULTILINE | re.IGNORECASE,
)
_PATCH = regex(r"\s*(\*\*\* ?Begin Patch|diff --git |--- .*\n\+\+\+ )", re.IGNORECASE)
_NO_NEWLINE = "\\ No newline at end of file"
# How many lines before and after a change must be as they were: as many as possible. Next to the change
# there may be edits of the user on one side; then the other side has to be whole.
_CONTEXTS = ((3, 3), (2, 2), (1, 1), (3, 0), (0, 3))

Opcode = tuple[str, int, int, int, int]
Row = tuple[str, str]  # the sign and the line


class Patch(NamedTuple):
    """A unified diff (cut when it is very long, "" for no change) and how many lines came and went."""

    text: str
    insertions: int
    deletions: int


def files_in(text: str) -> Sequence[str]:
    """Return the names of the files that a patch changes, in its order; none for a text that is no patch."""
    if not _PATCH.match(text):
        return ()
    names = dict.fromkeys(name.strip() for name in _FILE.findall(text))
    return [name for name in names if name != "/dev/null"]


class Hunk(NamedTuple):
    """Lines that took the place of others (with their ends), and the unchanged lines around them.

    `was` and `line` (zero-based) are where it begins in the text before and after the patch.
    """

    before: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    after: tuple[str, ...]
    was: int
    line: int


# --- patches made -----------------------------------------------------------------------------------


def lines_of(text: str) -> list[str]:
    """Return the lines of a text with their ends, as a patch knows them: only LF ends a line."""
    if text and text.find("\n") in {-1, len(text) - 1}:
        return [text]  # which may be large: it is not copied
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def compare(name: str, before: str | None, after: str, *, longest: int | None = _LONGEST) -> Patch:
    """Return the patch that turns `before` (`None`: no file) into `after`. Only LF ends a line in a patch.

    It is cut when it has more than `longest` characters (`None`: never).
    """
    old, new = lines_of(before or ""), lines_of(after)
    hunks = list(_groups(old, new))
    changes = [code for hunk in hunks for code in hunk if code[0] != "equal"]
    head = (f"--- {'/dev/null' if before is None else f'a/{name}'}\n", f"+++ b/{name}\n")
    rows = chain(head, (row for hunk in hunks for row in _written(hunk, old, new, longest)))
    text = _bounded(rows, longest) if hunks else ""
    return Patch(text, sum(d - c for *_, c, d in changes), sum(b - a for _, a, b, _, _ in changes))


def _bounded(rows: Iterable[str], longest: int | None) -> str:
    """Return the rows as one text, cut behind so many characters."""
    taken: list[str] = []
    size = 0
    for row in rows:
        taken.append(row)
        size += len(row)
        if longest is not None and size > longest:
            return f"{''.join(taken)[:longest]}\n{CUT}\n"
    return "".join(taken)


def common_ends(one: Sequence[object], other: Sequence[object]) -> tuple[int, int]:
    """Return how many elements two sequences have in common at their start, and of the rest at their end."""
    shorter = min(len(one), len(other))
    head = next((at for at in range(shorter) if one[at] != other[at]), shorter)
    rest = shorter - head
    return head, next((at for at in range(rest) if one[-1 - at] != other[-1 - at]), rest)


def _groups(old: Sequence[str], new: Sequence[str]) -> Iterator[list[Opcode]]:
    """Return the changes with the lines around them, near ones together, by where they are in the texts."""
    head, tail = common_ends(old, new)
    start, end = max(0, head - AROUND), max(0, tail - AROUND)
    left, right = old[start : len(old) - end], new[start : len(new) - end]
    if max(len(old), len(new)) - head - tail > _COMPARED:
        groups = [_whole(head - start, tail - end, len(left), len(right))]
    else:
        groups = SequenceMatcher(None, left, right).get_grouped_opcodes(AROUND)
    for group in groups:
        yield [(tag, a + start, b + start, c + start, d + start) for tag, a, b, c, d in group]


def _whole(head: int, tail: int, left: int, right: int) -> list[Opcode]:
    return [
        ("equal", 0, head, 0, head),
        ("replace", head, left - tail, head, right - tail),
        ("equal", left - tail, left, right - tail, right),
    ]


def _written(
    hunk: Sequence[Opcode], old: Sequence[str], new: Sequence[str], longest: int | None
) -> Iterator[str]:
    """Yield the rows of a hunk. Of a row that is longer than all of them may be, there is only that much."""
    most = None if longest is None else longest + 1
    (_, a, _, c, _), (_, _, b, _, d) = hunk[0], hunk[-1]
    yield f"@@ -{_range(a, b)} +{_range(c, d)} @@\n"
    for tag, a, b, c, d in hunk:
        signs = (" ", "") if tag == "equal" else ("-", "+")
        yield from (_row(signs[0], line, most) for line in old[a:b])
        yield from (_row(signs[1], line, most) for line in new[c:d] if signs[1])


def _range(start: int, stop: int) -> str:
    length = stop - start
    return f"{start + 1 if length else start},{length}"


def _row(sign: str, line: str, most: int | None) -> str:
    if most is not None and len(line) > most:
        return f"{sign}{line[:most]}"
    return f"{sign}{line}" if line.endswith("\n") else f"{sign}{line}\n\\ No newline at end of file\n"


# --- patches read, and their changes located -------------------------------------------------------


def read_patch(patch: str) -> list[Hunk]:
    """Return the single changes of a unified diff. A block that was cut off is left out."""
    rows = patch.split("\n")
    found: list[Hunk] = []
    for at, row in enumerate(rows):
        if head := _HEAD.match(row):
            old_start, old_count, new_start, new_count = map(int, head.groups())
            if block := _block(rows[at + 1 :], old_count, new_count):
                was, line = old_start - bool(old_count), new_start - bool(new_count)
                found += _changes(block, was, line)
    return found


def numbered(changes: Iterable[Mapping[str, Any]]) -> dict[str, tuple[int, Hunk]]:
    """Return the single changes of files, as a question shows them, by id, with the place of their file."""
    patches = [str(change.get("patch", "")) for change in changes]
    return {
        f"{place}/{number}": (place, hunk)
        for place, patch in enumerate(patches)
        for number, hunk in enumerate(read_patch(patch))
    }


def made(text: str, hunks: Iterable[Hunk]) -> str:
    """Return the text before a patch, with only these of its changes made."""
    lines = lines_of(text)
    for hunk in sorted(hunks, key=lambda hunk: hunk.was, reverse=True):
        lines[hunk.was : hunk.was + len(hunk.old)] = hunk.new
    return "".join(lines)


def find(hunk: Hunk, lines: Sequence[str], line: int) -> int | None:
    """Return where the change stands in these lines: at `line` if possible, else at the only place that fits.

    **Returns** `None` when its text is not there any more, or could be in several places. Whether the last
    line has an end does not count where nothing else differs: editors give it one when they save.
    """
    found = _find(hunk, lines, line)
    if found is None:
        ended = hunk._replace(
            **{name: _ended(getattr(hunk, name)) for name in ("before", "old", "new", "after")}
        )
        if ended.old != ended.new:
            return _find(ended, _ended(lines), line)
    return found


def _ended(lines: Sequence[str]) -> tuple[str, ...]:
    return tuple(line if line.endswith("\n") else f"{line}\n" for line in lines)


def put_back(hunk: Hunk, lines: list[str], place: int) -> None:
    """Put the old lines where the new ones stand. The last line keeps the end that it was given meanwhile."""
    behind, has_end = place + len(hunk.new), bool(lines) and lines[-1].endswith("\n")
    is_other = behind == len(lines) and lines[-1:] != [*hunk.new[-1:]]
    lines[place:behind] = hunk.old
    for at in (place - 1, place + len(hunk.old) - 1):
        if 0 <= at < len(lines) - 1:
            lines[at : at + 1] = _ended(lines[at : at + 1])
    if is_other and hunk.new and lines:
        lines[-1] = lines[-1].removesuffix("\n") + "\n" * has_end


def _find(hunk: Hunk, lines: Sequence[str], line: int) -> int | None:
    for above, below in _CONTEXTS:
        before, after = hunk.before[len(hunk.before) - above :] if above else (), hunk.after[:below]
        if not (before or after) and (hunk.before or hunk.after):
            continue
        places = [at + len(before) for at in _places(before, hunk.new, after, lines)]
        if line in places:
            return line
        if places:
            return places[0] if len(places) == 1 else None
    return None


def stood(hunk: Hunk, lines: Sequence[str], place: int) -> Hunk:
    """Return the change with the lines that are around it now, at this place."""
    behind = place + len(hunk.new)
    around = tuple(lines[max(0, place - AROUND) : place]), tuple(lines[behind : behind + AROUND])
    return hunk._replace(before=around[0], after=around[1], line=place)


def is_made(hunk: Hunk, lines: Sequence[str]) -> bool | None:
    """Return whether the lines have the change (or its old text) between all the lines that were around it.

    **Returns** `None` when that cannot be known: the user edited there, or both are possible.
    """
    made, undone = (
        bool(list(_places(hunk.before, text, hunk.after, lines))) for text in (hunk.new, hunk.old)
    )
    if made and undone and len(hunk.new) != len(hunk.old):  # the shorter one is a part of the longer one
        return len(hunk.new) > len(hunk.old)
    return None if made == undone else made


def guess(hunk: Hunk, lines: Sequence[str], line: int) -> int:
    """Return where a change that cannot be found most likely stood: by the lines before it or behind it."""
    for pattern, by in ((hunk.before, len(hunk.before)), (hunk.after, -len(hunk.new))):
        places = list(_places(pattern, (), (), lines))
        if pattern and len(places) == 1:
            return max(0, places[0] + by)
    return line


def _places(
    before: Sequence[str], middle: Sequence[str], after: Sequence[str], lines: Sequence[str]
) -> Iterator[int]:
    """Where these lines stand. A mark in the lines around the middle is in the place of some key."""
    pattern = [*before, *middle, *after]
    if not pattern:
        return iter(() if lines else (0,))  # nothing is left of the text
    width = len(pattern)
    around = {*range(len(before)), *range(len(before) + len(middle), width)}
    if with_key := [at for at in around if KEY_MARK in pattern[at]]:
        return _places_with_keys(pattern, with_key, lines)
    starts = (at for at, line in enumerate(lines) if line == pattern[0])
    return (at for at in starts if list(lines[at : at + width]) == pattern)


def _places_with_keys(pattern: list[str], with_key: list[int], lines: Sequence[str]) -> Iterator[int]:
    known = {at: re.compile(".+".join(map(re.escape, pattern[at].split(KEY_MARK)))) for at in with_key}
    for start in range(len(lines) - len(pattern) + 1):
        there = lines[start : start + len(pattern)]
        if all(
            known[at].fullmatch(line) if at in known else line == pattern[at] for at, line in enumerate(there)
        ):
            yield start


def _block(rows: Sequence[str], old_count: int, new_count: int) -> list[Row]:
    """Return the rows of one block, empty when they are not all there."""
    block: list[Row] = []
    for at, row in enumerate(rows):
        if row == _NO_NEWLINE and block:
            sign, line = block[-1]
            block[-1] = sign, line.removesuffix("\n")
        elif not (old_count or new_count):
            break
        elif row[:1] in {" ", "-", "+"} and at < len(rows) - 1:  # the last row has no end: it was cut
            old_count -= row[0] != "+"
            new_count -= row[0] != "-"
            block.append((row[0], row[1:] + "\n"))
        else:
            break
    return [] if old_count or new_count else block


def _changes(block: Sequence[Row], was: int, line: int) -> Iterator[Hunk]:
    at = 0
    while at < len(block):
        end = _until(block, at, equal=False)
        if end == at:
            at = at + 1
            was = was + 1
            line = line + 1
            continue
        old = tuple(text for sign, text in block[at:end] if sign == "-")
        new = tuple(text for sign, text in block[at:end] if sign == "+")
        after = tuple(text for _, text in block[end : _until(block, end, equal=True)])
        yield Hunk(_leading(block[:at]), old, new, after, was, line)
        at = end
        was = was + len(old)
        line = line + len(new)


def _until(block: Sequence[Row], start: int, *, equal: bool) -> int:
    """Return where the run of equal (or of changed) rows that begins at `start` ends."""
    ends = (at for at in range(start, len(block)) if (block[at][0] == " ") != equal)
    return next(ends, len(block))


def _leading(rows: Sequence[Row]) -> tuple[str, ...]:
    changed = (at for at in range(len(rows) - 1, -1, -1) if rows[at][0] != " ")
    return tuple(text for _, text in rows[next(changed, -1) + 1 :])
