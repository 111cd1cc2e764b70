"""Jupyter notebooks (nbformat 4) as text: where their cells are, and the text with other cells.

Only what an edit changes is written anew: every other byte of the file stays as it is.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from secrets import token_hex
from typing import Any, NamedTuple, cast

from agls.engine.ports import WorkspaceError
from agls.frozen import frozen
from agls.regex import regex
from agls.room.line_ends import line_end_of
from agls.room.notebook_ports import CellText, CellType
from agls.short_text import number_of

OUTPUT = 2_000  # characters that are shown of what a cell printed
_SPACE = regex(r"\s*")
_DECODER = json.JSONDecoder()


class JsonSpan(NamedTuple):
    """A part of the text."""

    start: int
    stop: int


@frozen
class NotebookCell:
    """A cell: where it stands in the text, and its members."""

    span: JsonSpan
    members: Mapping[str, Any]

    @property
    def type(self) -> str:
        """What kind of cell it is."""
        return str(self.members.get("cell_type", "raw"))

    @property
    def source(self) -> str:
        """Its text."""
        return joined(self.members.get("source", ""))


@frozen
class Notebook:
    """A notebook as a text: its cells, where their list stands, and what is known of the whole."""

    text: str
    cells: tuple[NotebookCell, ...]
    list_at: JsonSpan
    members: Mapping[str, Any]

    @property
    def has_ids(self) -> bool:
        """Whether its cells must have ids (from nbformat 4.5 on)."""
        minor = self.members.get("nbformat_minor", 0)
        return isinstance(minor, int) and minor >= 5

    def with_source(self, index: int, source: str) -> str:
        """Return the text with this source of a cell."""
        cell = self.cells[index]
        found = next((span for name, span in _members(self.text, cell.span.start) if name == "source"), None)
        if found is None:
            raise WorkspaceError(f"Cell {index} has no source: the notebook is damaged.")
        written = self._written(_source_lines(source), found.start)
        return self.text[: found.start] + written + self.text[found.stop :]

    def with_cell(self, index: int, type: CellType, source: str) -> str:
        """Return the text with a new cell before the one of this index, or behind the last."""
        cell: dict[str, Any] = {"cell_type": type}
        if type == "code":
            cell["execution_count"] = None
        if self.has_ids:
            cell["id"] = token_hex(4)
        cell["metadata"] = {}
        if type == "code":
            cell["outputs"] = []
        cell["source"] = _source_lines(source)
        if not self.cells:
            line = self._line_before(self.list_at.start)
            end, step = ("", "") if self._is_one_line else (line_end_of(self.text) + line, self._step)
            written = f"[{end}{step}{self._dumped(cell, line + step)}{end}]"
            return self.text[: self.list_at.start] + written + self.text[self.list_at.stop :]
        behind = index >= len(self.cells)
        at = self.cells[-1].span.stop if behind else self.cells[index].span.start
        indent = self._line_before(self.cells[-1 if behind else index].span.start)
        written = self._dumped(cell, indent)
        joint = ", " if self._is_one_line else f",{line_end_of(self.text)}{indent}"
        return self.text[:at] + (joint + written if behind else written + joint) + self.text[at:]

    def without(self, index: int) -> str:
        """Return the text without a cell."""
        if len(self.cells) == 1:
            return f"{self.text[: self.list_at.start]}[]{self.text[self.list_at.stop :]}"
        last = index == len(self.cells) - 1
        start = self.cells[index - 1].span.stop if last else self.cells[index].span.start
        stop = self.cells[index].span.stop if last else self.cells[index + 1].span.start
        return self.text[:start] + self.text[stop:]

    @property
    def shown(self) -> tuple[CellText, ...]:
        """Its cells in words."""
        return tuple(map(_cell_text, self.cells))

    @property
    def _is_one_line(self) -> bool:
        return "\n" not in self.text[: self.list_at.stop]

    @property
    def _step(self) -> str:
        """By what each level is indented."""
        found = re.match(r"\{\r?\n([ \t]+)", self.text)
        return found[1] if found else " "

    def _line_before(self, at: int) -> str:
        """Return the indentation of the line on which this stands."""
        found = re.match(r"[ \t]*", self.text[self.text.rfind("\n", 0, at) + 1 :])
        return found[0] if found else ""

    def _written(self, value: object, at: int) -> str:
        return self._dumped(value, self._line_before(at))

    def _dumped(self, value: object, indent: str) -> str:
        text = json.dumps(value, ensure_ascii=False, indent=None if self._is_one_line else self._step)
        return text.replace("\n", f"{line_end_of(self.text)}{indent}")


def read_notebook(text: str) -> Notebook:
    """Return the notebook that the text is. **Raises** `WorkspaceError` when it is none."""
    try:
        start = _skipped(text, 0)
        members = cast("Mapping[str, Any]", json.loads(text))
        span = next(span for name, span in _members(text, start) if name == "cells")
        values = list(_elements(text, span.start))
        cells = tuple(
            NotebookCell(at, cast("Mapping[str, Any]", json.loads(text[at.start : at.stop]))) for at in values
        )
        if not all(isinstance(cell.members, dict) for cell in cells):
            raise TypeError
    except (ValueError, TypeError, StopIteration, AttributeError, RecursionError) as problem:
        raise WorkspaceError("It is no notebook of nbformat 4: it has no list of cells.") from problem
    return Notebook(text, cells, span, members)


def is_only_cells(data: bytes) -> bool:
    """Return whether this is what is kept of a notebook that the editor has not saved: its cells alone."""
    return data.startswith(b'{\n "cells":') and b'\n "nbformat"' not in data


def check_written(shown: str, text: str) -> None:
    """Check that a text can be the whole of a notebook: no tool writes cells as read_file shows them.

    **Raises** `WorkspaceError`.
    """
    try:
        is_object = isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        is_object = False
    if not is_object:
        raise WorkspaceError(
            f"{shown}: a notebook is JSON, and this text is none; nothing was changed. Change its cells with "
            "edit_notebook, or give the whole JSON."
        )


def rendered(cells: Sequence[CellText]) -> Iterator[str]:
    """Yield a notebook in lines: each cell with its index, its text, and what it printed."""
    yield f"[A notebook of {number_of(len(cells), 'cell')}. Change them with edit_notebook.]"
    for index, cell in enumerate(cells):
        yield f"[cell {index}: {cell.type}{f', run as {cell.count}' if cell.count else ''}]"
        yield from cell.source.split("\n") if cell.source else ()
        if cell.printed:
            yield f"[output of cell {index}]"
            yield from cell.printed[:OUTPUT].split("\n")
            if len(cell.printed) > OUTPUT:
                yield f"[… {len(cell.printed) - OUTPUT} more characters]"


def _cell_text(cell: NotebookCell) -> CellText:
    outputs = cast("Sequence[Any]", cell.members.get("outputs") or ())
    printed = "\n".join(filter(None, map(_output, outputs)))
    return CellText(cell.type, cell.source, cell.members.get("execution_count"), printed)


def joined(source: object) -> str:
    """Return a text that is stored whole or in lines."""
    return "".join(map(str, cast("Sequence[Any]", source))) if isinstance(source, list) else str(source)


def _output(output: Any) -> str:
    """Return an output in words: what it printed, an error, or which kinds of picture it has."""
    if not isinstance(output, dict):
        return ""
    held = cast("Mapping[str, Any]", output)
    if "text" in held:
        return joined(held["text"]).rstrip("\n")
    if held.get("output_type") == "error":
        return f"{held.get('ename', 'Error')}: {held.get('evalue', '')}"
    data = cast("Mapping[str, Any]", held.get("data") or {})
    if "text/plain" in data:
        others = [kind for kind in data if kind.startswith("image/")]
        return joined(data["text/plain"]) + (f" [{', '.join(others)}]" if others else "")
    return f"[{', '.join(map(str, data))}]" if data else ""


def _source_lines(source: str) -> list[str]:
    return re.findall(r"[^\n]*\n|[^\n]+", source)


def _skipped(text: str, at: int) -> int:
    found = _SPACE.match(text, at)
    return found.end() if found else at


def _members(text: str, at: int) -> Iterator[tuple[str, JsonSpan]]:
    """Yield the members of the object that begins here. **Raises** `ValueError`."""
    at = _skipped(text, at + 1)
    while text[at : at + 1] != "}":
        name, at = _DECODER.raw_decode(text, at)
        start = _skipped(text, _skipped(text, at) + 1)
        _, stop = _DECODER.raw_decode(text, start)
        yield str(name), JsonSpan(start, stop)
        at = _next(text, stop)


def _elements(text: str, at: int) -> Iterator[JsonSpan]:
    """Yield the elements of the list that begins here. **Raises** `ValueError`."""
    if text[at : at + 1] != "[":
        raise ValueError(text[at : at + 1])
    at = _skipped(text, at + 1)
    while text[at : at + 1] != "]":
        _, stop = _DECODER.raw_decode(text, at)
        yield JsonSpan(at, stop)
        at = _next(text, stop)


def _next(text: str, stop: int) -> int:
    """Return where the next one begins, behind the comma."""
    at = _skipped(text, stop)
    return _skipped(text, at + 1) if text[at : at + 1] == "," else at
