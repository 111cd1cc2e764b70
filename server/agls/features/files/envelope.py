"""Patches between `*** Begin Patch` and `*** End Patch`, as read."""

import posixpath
import re
from collections.abc import Sequence
from itertools import pairwise

from agls.regex import regex

from .patch_parts import FilePatch, PatchError, PatchHunk, PatchRow

BEGIN = "*** Begin Patch"
END = "*** End Patch"
NO_END = "\\ No newline at end of file"  # of a unified diff: here the file keeps the end that it has
END_OF_FILE = "*** End of File"
FORM = """\
Write it like this:
*** Begin Patch
*** Update File: path
@@ a line above the change, where that is needed to find it
 a line that stays
-a line that goes
+a line that comes
*** Add File: path
+every line of the new file
*** Delete File: path
*** End Patch"""
_HEADER = regex(r"\*\*\* ?(Update|Modify|Add|Create|Delete|Remove) File: *(.*?)\s*$", re.IGNORECASE)
_MOVE = regex(r"\*\*\* ?Move(?: File)? to: *(.*?)\s*$", re.IGNORECASE)
_KINDS = {"add": "Add", "create": "Add", "delete": "Delete", "remove": "Delete"}  # any other is an update
_BEGIN_AT, _END_AT = BEGIN.casefold(), END.casefold()
_RANGE = regex(r"-(\d+)(?:,\d+)? \+\d+(?:,\d+)?(?: @@.*)?$")


def first_mark(lines: Sequence[str]) -> int | None:
    """Return the index of the first line that is a part of such a patch only, `None` when there is none."""
    marks = (line.strip().casefold() in {_BEGIN_AT, _END_AT} or _HEADER.match(line) for line in lines)
    return next((at for at, is_mark in enumerate(marks) if is_mark), None)


def read_envelope(lines: Sequence[str]) -> tuple[FilePatch, ...]:
    """Return what the patch says. **Raises** `PatchError`."""
    rows = [line.rstrip().casefold() for line in lines]
    rows = rows if _BEGIN_AT in rows else [line.strip().casefold() for line in lines]
    if _BEGIN_AT not in rows and _END_AT in rows and _HEADER.match(lines[0]):
        lines = [BEGIN, *lines]  # nothing can be missing: it begins with a file
        rows = [_BEGIN_AT, *rows]
    if _BEGIN_AT not in rows:
        raise PatchError(f"The patch has no line `{BEGIN}`. {FORM}")
    begins = [at for at, row in enumerate(rows) if row == _BEGIN_AT]
    body: list[str] = []
    for begin, following in pairwise([*begins, len(rows)]):
        if _END_AT not in rows[begin:following]:
            raise PatchError(
                f"The patch has no line `{END}`: it may have been cut off. Send it whole, or smaller."
            )
        body += lines[begin + 1 : rows.index(_END_AT, begin)]
    starts = [at for at, line in enumerate(body) if _HEADER.match(line)]
    if odd := next((line for line in body[: starts[0] if starts else None] if line.strip()), ""):
        raise PatchError(f"The patch must name a file before anything else, not `{odd[:80]}`. {FORM}")
    if not starts:
        raise PatchError(f"The patch must name a file. {FORM}")
    return tuple(_section(body[start:end]) for start, end in pairwise([*starts, len(body)]))


def unquoted(path: str) -> str:
    """Return a path without the quotes around it that some models write."""
    return path[1:-1] if len(path) > 2 and path[0] == path[-1] and path[0] in "\"'`" else path


def into(path: str, to: str) -> str:
    """Return where a file goes: what ends with a slash is the folder that it goes into."""
    return to + posixpath.basename(path) if to.endswith("/") else to


def _without_names(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines without the `---` and `+++` of a unified diff, which some models write here, too."""
    head = [line[:4] for line in lines[:2]]
    return lines[2:] if head == ["--- ", "+++ "] and lines[2:3] and lines[2].startswith("@@") else lines


def _section(lines: Sequence[str]) -> FilePatch:
    header = _HEADER.match(lines[0])
    assert header
    kind, path = _KINDS.get(header[1].lower(), "Update"), unquoted(header[2])
    if not path:
        raise PatchError(f"`{lines[0]}` names no file. {FORM}")
    if kind == "Add":
        return FilePatch("add", path, _added(path, lines[1:]))
    if kind == "Delete":
        if any(line.strip() for line in lines[1:]):
            raise PatchError(f"{path}: nothing may follow `*** Delete File`. {FORM}")
        return FilePatch("delete", path)
    moves = [found for line in lines[1:] if (found := _MOVE.match(line))]
    to = into(path, unquoted(moves[0][1])) if moves else ""
    rest = [line for line in lines[1:] if not _MOVE.match(line)]
    hunks = _hunks(path, _without_names(rest))
    if not hunks and not to:
        raise PatchError(f"{path}: there is nothing to update. {FORM}")
    return FilePatch("update", path, hunks=hunks, to=to)


def _added(path: str, lines: Sequence[str]) -> str:
    rows = [*_without_names(lines)]
    if rows and rows[0].startswith("@@"):
        rows = rows[1:]
    while rows and not rows[-1].strip():
        rows.pop()
    if wrong := next((row for row in rows if row and row[0] != "+"), ""):
        raise PatchError(f"{path}: every line of a new file begins with +; this one does not: {wrong[:80]}")
    return "".join(f"{row[1:]}\n" for row in rows)


def _hunks(path: str, lines: Sequence[str]) -> tuple[PatchHunk, ...]:
    hunks: list[PatchHunk] = []
    anchors: tuple[str, ...] = ()
    line: int | None = None
    rows: list[PatchRow] = []
    for text in [*lines, "@@"]:
        ends_file = text.strip().casefold() == END_OF_FILE.casefold()
        begins = text.startswith("@@")
        if rows and (ends_file or begins):
            hunks.append(PatchHunk(len(hunks) + 1, tuple(rows), anchors, line, ends_file))
            anchors = ()
            line = None
            rows = []
        if begins:
            anchor, line = _anchor(text, line)
            anchors += (anchor,) if anchor.strip() else ()
        elif text.startswith("*** ") and not ends_file:
            raise PatchError(f"{path}: `{text[:80]}` means nothing here. {FORM}")
        elif not ends_file and (rows or text.strip()) and not text.startswith(NO_END):
            rows.append(_row(text))
    return tuple(hunks)


def _anchor(text: str, line: int | None) -> tuple[str, int | None]:
    """Return the line that a row of `@@` names, and where the hunk says that it begins."""
    rest = text[2:].removeprefix(" ").removesuffix(" @@")
    if place := _RANGE.match(rest):
        return "", int(place[1])
    return rest, line


def _row(text: str) -> PatchRow:
    """Return the row; an empty line, or one without its sign, is one that stays: it must be there anyway."""
    if text[:1] == "+":
        return PatchRow("+", text[1:])
    if text[:1] == "-":
        return PatchRow("-", text[1:])
    return PatchRow(" ", text[1:] if text[:1] == " " else text)
