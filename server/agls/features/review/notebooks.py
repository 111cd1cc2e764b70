"""Notebooks as lines of their cells: read and written where they are, in the editor or on the disk."""

from collections.abc import Iterable

from agls.diff import lines_of
from agls.engine.ports import Workspace
from agls.engine.vocabulary import FileChange, FileVersion
from agls.frozen import frozen
from agls.room.cell_lines import cell_edits, cells_change, cells_in, cells_text
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
