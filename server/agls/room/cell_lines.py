"""A notebook as lines, in which changes are made and found.

Each cell is between a line with its type and an empty one, so that a change of a cell, or of one beside it,
leaves the lines around the others' changes as they are.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from hashlib import sha256
from itertools import count, takewhile
from typing import NamedTuple, cast

from agls.diff import Patch, compare, lines_of
from agls.engine.ports import PathInfo
from agls.engine.vocabulary import FileChange, FileVersion
from agls.regex import regex
from agls.room.notebook_ports import CellAction, CellEdit, CellText, CellType

_HEAD = regex(r"\[(code|markdown|raw) cell\]\n?")
_LIKE_HEAD = regex(r"^(\\*)(?=\[(?:code|markdown|raw) cell\]$)", re.MULTILINE)
_SPELLED = regex(r"^\\(\\*\[(?:code|markdown|raw) cell\]$)", re.MULTILINE)
_MARK = regex(r"\0\d+$", re.MULTILINE)
NOTHING = CellText("code", "")


class CellPlace(NamedTuple):
    """A cell, and a line in it; both count from 0."""

    cell: int
    line: int


def cells_text(cells: Sequence[CellText]) -> str:
    """Return the cells as a text, without what they printed."""
    return "".join(f"[{cell.type} cell]\n{_spelled(cell.source)}\n\n" for cell in cells)


def _spelled(source: str) -> str:
    """Return a source in which no line looks like one that begins a cell."""
    return _LIKE_HEAD.sub(r"\1\\", source)


def cells_in(text: str) -> Sequence[CellText]:
    """Return the cells that `cells_text` wrote."""
    cells: list[CellText] = []
    lines = lines_of(text)
    heads = [at for at, line in enumerate(lines) if _HEAD.fullmatch(line)]
    for at, end in zip(heads, [*heads[1:], len(lines)], strict=False):
        head = _HEAD.fullmatch(lines[at])
        source = "".join(lines[at + 1 : end]).removesuffix("\n").removesuffix("\n")
        cells.append(CellText(head[1] if head else "raw", _SPELLED.sub(r"\1", source)))
    return cells


def content_of(lines: Sequence[str]) -> str:
    """Return what a person wrote of these lines: without those that begin and end a cell."""
    written = [line for line in lines if not _HEAD.fullmatch(line)]
    if len(written) < len(lines) and written[-1:] == ["\n"]:
        del written[-1]
    return _SPELLED.sub(r"\1", "".join(written))


def place_of(lines: Sequence[str], at: int) -> CellPlace:
    """Return where the line of this index is: those around a cell count as its first and its last one."""
    heads = [index for index, line in enumerate(lines) if _HEAD.fullmatch(line)]
    cell = sum(1 for head in heads if head <= at) - 1
    if cell < 0:
        return CellPlace(0, 0)
    first, end = heads[cell] + 1, [*heads[1:], len(lines)][cell]
    return CellPlace(cell, max(0, min(at, end - 2) - first))


def cells_patch(name: str, before: Sequence[CellText], after: Sequence[CellText]) -> Patch:
    """Return the change from these cells to those, in which a whole cell begins with its own line."""
    first = [*range(len(before))]
    then, fresh = [*first], count(len(before))
    for edit in cell_edits(before, after):
        if edit.action == "delete":
            del then[edit.cell]
        elif edit.action == "insert":
            then.insert(edit.cell, next(fresh))
    patch = compare(name, _marked(before, first), _marked(after, then))
    return patch._replace(text=_MARK.sub("", patch.text))


def cells_version(cells: Sequence[CellText]) -> FileVersion:
    """Return the version of these cells, as a change names it."""
    return FileVersion(sha256(cells_text(cells).encode("utf-8", "surrogatepass")).hexdigest())


def cells_change(place: PathInfo, before: Sequence[CellText], after: Sequence[CellText]) -> FileChange:
    """Return the change of a notebook that the editor made, from these cells to those."""
    base, result = cells_version(before), cells_version(after)
    patch = cells_patch(place.shown, before, after)
    return replace(FileChange.of(place.uri, "modified", base, result, patch, via="editor"), by_cell=True)


def cell_edits(now: Sequence[CellText], wanted: Sequence[CellText]) -> Iterator[CellEdit]:
    """Yield the changes that make these cells of those, the last first: numbers before it stay."""
    old, new = _compared(now), _compared(wanted)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, begin, end in reversed(matcher.get_opcodes()):
        if tag == "equal":
            continue
        same = _alike(old[first:last], new[begin:end])  # their outputs stay
        yield from (_edit(first + same, "delete") for _ in range(first + same, last))
        yield from (_edit(first + same, "insert", cell) for cell in reversed(wanted[begin + same : end]))
        yield from (_edit(first + at, "replace", wanted[begin + at]) for at in range(same))


def _compared(cells: Sequence[CellText]) -> list[tuple[str, str]]:
    return [(cell.type, cell.source) for cell in cells]


def _alike(old: Sequence[tuple[str, str]], new: Sequence[tuple[str, str]]) -> int:
    """Return how many cells at the beginning can become the others: their types are the same."""
    return sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1][0], zip(old, new, strict=False)))


def _marked(cells: Sequence[CellText], marks: Sequence[int]) -> str:
    """Return the lines of cells, of which the first and the last are like no other's."""
    texts = [lines_of(cells_text([cell])) for cell in cells]
    return "".join(
        f"{lines[0][:-1]}\0{mark}\n{''.join(lines[1:-1])}\0{mark}\n"
        for mark, lines in zip(marks, texts, strict=True)
    )


def _edit(cell: int, action: CellAction, content: CellText = NOTHING) -> CellEdit:
    return CellEdit(cell, action, content.source, cast("CellType", content.type))
