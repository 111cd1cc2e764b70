"""Notebooks as lines of their cells: read and written where they are, in the editor or on the disk."""

from collections.abc import Iterable, Sequence

from agls.diff import lines_of, read_patch
from agls.engine.ports import Workspace, WorkspaceError
from agls.engine.vocabulary import FileChange, FileVersion, JsonObject
from agls.frozen import frozen
from agls.room.agent_changes import AgentChange
from agls.room.cell_lines import (
    cell_edits,
    cells_change,
    cells_in,
    cells_patch,
    cells_text,
    content_of,
    place_of,
)
from agls.room.notebook_ports import CellEdit, EditorNotebooks, OpenNotebook
from agls.room.notebook_text import read_notebook


@frozen
class CellLines:
    """Lines of a notebook's cells, and what has them: the editor's notebook, or a version of the file."""

    lines: list[str]
    held: OpenNotebook | FileVersion


@frozen
class Notebooks:
    """Reads and writes notebooks by cell."""

    editor: EditorNotebooks

    async def read(self, uri: str, workspace: Workspace) -> CellLines:
        """Return the cells as lines. **Raises** `WorkspaceError`."""
        if opened := await self.editor.find(uri):
            return CellLines(lines_of(cells_text(opened.cells)), opened)
        file = await workspace.read(uri)
        return CellLines(lines_of(cells_text(read_notebook(file.text).shown)), file.version)

    async def write(self, uri: str, text: CellLines, workspace: Workspace, label: str) -> FileChange:
        """Make the cells be these lines: only those that differ are written. **Raises** as the ports do."""
        wanted = cells_in("".join(text.lines))
        if isinstance(text.held, FileVersion):
            file = await workspace.read(uri)
            edits = cell_edits(read_notebook(file.text).shown, wanted)
            return await workspace.write(uri, _changed(file.text, edits), expected=text.held, label=label)
        opened = text.held
        for edit in cell_edits(opened.cells, wanted):
            opened = await self.editor.edit(opened, edit, label)
        return cells_change(workspace.place(uri), text.held.cells, opened.cells)


def row_by_cell(change: AgentChange, lines: Sequence[str]) -> JsonObject:
    """Return a change of a notebook's file for programs, by its cell: people know no other lines of it.

    It is by line where it stands no more, or is not one change of the cells, as one of what they printed.
    """
    row = change.row(lines)
    if not row["stands"]:
        return row
    hunk, at = change.hunk, row["line"]
    before = [*lines[:at], *hunk.old, *lines[at + len(hunk.new) :]]
    try:
        was, now = read_notebook("".join(before)).shown, read_notebook("".join(lines)).shown
    except WorkspaceError:
        return row
    hunks = read_patch(cells_patch("", was, now).text)
    if len(hunks) != 1:
        return row
    place = place_of(lines_of(cells_text(now)), hunks[0].line)
    return {**row, **place._asdict(), "old": content_of(hunks[0].old), "new": content_of(hunks[0].new)}


def _changed(text: str, edits: Iterable[CellEdit]) -> str:
    """Return the text of a notebook after these changes."""
    for edit in edits:
        notebook = read_notebook(text)
        if edit.action == "delete":
            text = notebook.without(edit.cell)
        elif edit.action == "insert":
            text = notebook.with_cell(edit.cell, edit.type, edit.source)
        else:
            text = notebook.with_source(edit.cell, edit.source)
    return text
