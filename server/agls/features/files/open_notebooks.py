"""Notebooks that are open in the editor: read as they are there, and changed there, unsaved."""

from agls.engine.ports import FileText, PathInfo, Preview, Stale, ToolContext, WorkspaceError
from agls.engine.vocabulary import ToolOutcome
from agls.frozen import frozen
from agls.room.cell_lines import cells_change, cells_text, cells_version
from agls.room.notebook_ports import CellEdit, CellText, EditorNotebooks, OpenNotebook, is_notebook

from .edit_plan import EditPlan
from .editing import LEFT, FileWriter, preview
from .memory import FileMemory
from .notebook_editing import EditNotebook, check_cell, description, unreadable


def known_cells(place: PathInfo, notebook: OpenNotebook) -> FileText:
    """Return what the model knows of a notebook once it read it: the cells, not what they printed."""
    text = cells_text(notebook.cells)
    return FileText(place, text, cells_version(notebook.cells), "buffer", dirty=notebook.unsaved)


@frozen
class NotebookWriter:
    """Changes one cell: in the editor where the notebook is open there, else on the disk."""

    on_disk: FileWriter[EditNotebook]
    notebooks: EditorNotebooks
    memory: FileMemory

    async def write(self, arguments: EditNotebook, context: ToolContext) -> ToolOutcome:
        """Make the change, or nothing at all."""
        found = await self._open(arguments, context)
        if found is None:
            return await self.on_disk.write(arguments, context)
        plan = _plan(arguments, *found)
        assert plan.file
        self.memory.check_keys(plan.file, plan.text)
        self.memory.check(plan.file)
        if plan.file.text == plan.text:
            return ToolOutcome(f"{plan.place.shown} is already like that; nothing was changed.")
        edit = CellEdit(arguments.cell, arguments.action, arguments.source, arguments.type)
        try:
            after = await self.notebooks.edit(found[1], edit, plan.title)
        except Stale as problem:
            text = f"{problem} {LEFT[problem.effects]} Read {plan.place.shown} again, then repeat this."
            return ToolOutcome(text, status="failed", effects=problem.effects)
        now = known_cells(plan.place, after)
        self.memory.saw(plan.place.uri, now.version, now.text)
        text = f"{plan.report} It is open in the editor, and changed there; it is not saved."
        change = cells_change(plan.place, found[1].cells, after.cells)
        return ToolOutcome(text, effects="applied", changes=(change,))

    async def describe(self, arguments: EditNotebook, context: ToolContext) -> Preview:
        """Return the change as a diff: of the cells where the notebook is open, else of the file."""
        found = await self._open(arguments, context)
        if found is None:
            return await self.on_disk.describe(arguments, context)
        return await preview(arguments, _plan(arguments, *found))

    async def _open(
        self, arguments: EditNotebook, context: ToolContext
    ) -> tuple[PathInfo, OpenNotebook] | None:
        try:
            file = await context.workspace.read(arguments.path)
        except WorkspaceError as problem:
            raise await unreadable(problem, arguments, context.workspace) from problem
        opened = await self.notebooks.find(file.place.uri) if is_notebook(file.place.shown) else None
        return (file.place, opened) if opened else None


def _plan(arguments: EditNotebook, place: PathInfo, notebook: OpenNotebook) -> EditPlan:
    check_cell(arguments, [cell.type for cell in notebook.cells])
    index = arguments.cell
    cells = list(notebook.cells)
    if arguments.action == "delete":
        del cells[index]
    elif arguments.action == "insert":
        cells.insert(index, CellText(arguments.type, arguments.source))
    else:
        cells[index] = CellText(cells[index].type, arguments.source)
    file = known_cells(place, notebook)
    return EditPlan(
        f"Edit {place.shown}", place, file, cells_text(cells), description(arguments, place.shown)
    )
