"""Where an edit applies: the old text as it stands, else the same lines in another form that is no matter.

The model sees lines, not line ends, so texts are compared with LF for every line end. Only what an
edit really changes is replaced, with the line ends of the file; every other byte stays.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from unicodedata import normalize

from agls.diff import common_ends
from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.room.line_ends import line_end_of

from .indentation import indent_like
from .lines import flatten
from .misses import ARGUMENTS, describe_miss, listed
from .whole_lines import REPEATED, check_lines, check_number, line_already, without_outer_blanks

MOST = 100_000  # places that are changed at once
BYTE_ORDER_MARK = "\ufeff"
LINE_ENDS = (
    "old_text and new_text differ only in their line ends, which an edit keeps; nothing was changed. A "
    "command changes those of a file: sed -i 's/\\r$//' removes CR, sed -i 's/$/\\r/' adds it."
)
SEVERAL = "Add lines around it until it is unique, or set replace_all to change every exact occurrence."
SEVERAL_LOOSE = (
    "None of them is exactly so: copy it from the file with its white space, and add lines around it until "
    "it is unique, or set replace_all."
)


@frozen
class Replacement:
    """A text after an edit; `lines` (from 1) are where, `loose` how the old text was found ("": as it is)."""

    text: str
    lines: tuple[int, ...]
    loose: str = ""


@frozen
class EditSpan:
    """One place in the flattened text, and what shall stand there."""

    start: int
    end: int
    new: str


def replace_text(text: str, old: str, new: str, *, everywhere: bool, again: bool = False) -> Replacement:
    """Replace `old` by `new`; `again` says that this very edit was made before.

    **Raises** `WorkspaceError` that says what is wrong, and what is near.
    """
    flat = flatten(text)
    if "\r" in old + new and old != new and flatten(old) == flatten(new):
        raise WorkspaceError(LINE_ENDS)
    old, new = _cleaned(flat, flatten(old), flatten(new))
    spans = list(islice(_exact(flat, old, new), MOST + 1))
    if len(spans) == 1 and not everywhere:
        spans += _overlapping(flat, old, spans[0])
    loose = ""
    for how, form in () if spans else LOOSE_FORMS:
        loose = how
        if spans := list(islice(_loose(flat, old, new, form), MOST + 1)):
            break
    if not spans:
        raise WorkspaceError(describe_miss(flat, old, new, ARGUMENTS))
    lines = _lines_of(flat, spans)
    _check_count(spans, lines, is_loose=bool(loose), everywhere=everywhere)
    for span in spans:
        there = flat[span.start : span.end]
        if line := line_already(flat, span.start, there, span.new, again=again):
            raise WorkspaceError(REPEATED.format(line=line))
    if not everywhere and not loose:
        check_number(flat, spans[0].start, old, new)
        check_lines(flat, spans[0].start, old, new)
    return Replacement(_apply(text, flat, spans), tuple(dict.fromkeys(lines)), loose)


def _cleaned(flat: str, old: str, new: str) -> tuple[str, str]:
    """Return both texts without the outer blanks that the file lacks. **Raises** `WorkspaceError`."""
    if old == new:
        raise WorkspaceError("old_text and new_text are the same; nothing was changed.")
    if old in flat:
        return old, new
    if old[:1] == BYTE_ORDER_MARK and old[1:]:
        old, new = old[1:], new.removeprefix(BYTE_ORDER_MARK)
    return without_outer_blanks(old, new)


def _check_count(
    spans: Sequence[EditSpan], lines: Sequence[int], *, is_loose: bool, everywhere: bool
) -> None:
    """Check that so many places may be changed at once. **Raises** `WorkspaceError`."""
    times = f"{len(spans)} times" if len(spans) <= MOST else f"more than {MOST} times"
    if len(spans) > 1 and (is_loose or not everywhere):
        advice = SEVERAL_LOOSE if is_loose else SEVERAL
        where = listed([*dict.fromkeys(lines)])
        raise WorkspaceError(f"old_text occurs {times}, {where}; nothing was changed. {advice}")
    if len(spans) > MOST:
        raise WorkspaceError(f"old_text occurs {times}; nothing was changed. Use a command for that many.")


def _lines_of(flat: str, spans: Sequence[EditSpan]) -> tuple[int, ...]:
    line, at = 1, 0
    lines: list[int] = []
    for span in spans:
        line += flat.count("\n", at, span.start)
        at = span.start
        lines.append(line)
    return tuple(lines)


def _exact(flat: str, old: str, new: str) -> Iterator[EditSpan]:
    at = flat.find(old)
    while at >= 0:
        yield EditSpan(at, at + len(old), new)
        at = flat.find(old, at + len(old))


def _overlapping(flat: str, old: str, span: EditSpan) -> Iterator[EditSpan]:
    """Yield the next place of `old`, which begins within the only other one, if a change there is another."""
    at, new = span.start, span.new
    while (following := flat.find(old, at + 1)) >= 0:
        if flat[at:following] + new != new + flat[at + len(old) : following + len(old)]:
            yield EditSpan(following, following + len(old), new)
            return
        at = following


def _composed(line: str) -> str:
    """Return a line in one Unicode form: an accented letter is one character or two, and looks the same."""
    return line.strip() if line.isascii() else normalize("NFC", line.strip())


LOOSE_FORMS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("with other white space", str.strip),
    ("with letters in another Unicode form", _composed),
)


def _loose(flat: str, old: str, new: str, form: Callable[[str], str]) -> Iterator[EditSpan]:
    """Whole lines that are those of `old` in this form, which drops the white space around them."""
    closed = old.endswith("\n")
    old_lines = old.removesuffix("\n").split("\n")
    wanted = [form(line) for line in old_lines]
    if not any(wanted):
        return
    lines = flat.split("\n")
    bare = [form(line) for line in lines]
    start = 0
    for index, line in enumerate(lines):
        if bare[index] == wanted[0] and bare[index : index + len(wanted)] == wanted:
            found = lines[index : index + len(wanted)]
            end = start + len("\n".join(found))
            if closed and end < len(flat):
                end += 1
            elif closed:  # the last line of the file has no end
                new = new.removesuffix("\n")
            new_lines = new.split("\n")
            if (indented := indent_like(old_lines, found, new_lines)) is not None:
                indented = _with_kept(indented, old_lines, found, new_lines)
                yield EditSpan(start, end, "\n".join(_as_found(indented, found)))
        start += len(line) + 1


def _with_kept(made: list[str], old: Sequence[str], found: Sequence[str], new: Sequence[str]) -> list[str]:
    """Return the lines; those of `new` that stand in `old` as well stay as they are found."""
    from difflib import SequenceMatcher  # noqa: PLC0415 - only edits that do not fit as they stand need it

    result = [*made]
    for block in SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks():
        result[block.b : block.b + block.size] = found[block.a : block.a + block.size]
    return result


def _as_found(lines: Sequence[str], found: Sequence[str]) -> list[str]:
    """Return the lines; one that is there already, in another Unicode form, as it is there."""
    there = {normalize("NFC", line): line for line in found if not line.isascii()}
    return [line if line.isascii() else there.get(normalize("NFC", line), line) for line in lines]


def _apply(text: str, flat: str, spans: Sequence[EditSpan]) -> str:
    # CR LF is one character in the flat text: these are the places after which it lags behind
    lags = [found.start() - nth for nth, found in enumerate(re.finditer("\r\n", text))]
    line_end = line_end_of(text)
    parts: list[str] = []
    done = 0
    for span in spans:
        head, tail = common_ends(flat[span.start : span.end], span.new)
        start, end = span.start + head, span.end - tail
        new = span.new[head : len(span.new) - tail]
        parts += text[done : start + bisect_left(lags, start)], new.replace("\n", line_end)
        done = end + bisect_left(lags, end)
    return "".join([*parts, text[done:]])
