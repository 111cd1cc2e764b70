"""The tool `edit_notebook`: cells of a Jupyter notebook. Nothing is run."""

import asyncio
from collections.abc import Sequence

from pydantic import Field

from agls.engine.ports import Workspace, WorkspaceError
from agls.room.home_paths import HomePath
from agls.room.missing_paths import explained
from agls.room.notebook_ports import CellAction, CellType
from agls.room.notebook_text import Notebook, read_notebook
from agls.toolkit import Arguments

from .edit_plan import EditPlan


class EditNotebook(Arguments):
    """Change a cell of a Jupyter notebook that was read before in this session.

    Nothing is run, and what a cell printed stays.
    """

    path: HomePath = Field(description="an .ipynb file, relative to the workspace, or absolute")
    cell: int = Field(ge=0, description="the cell, by the number that read_file shows")
    action: CellAction = Field(
        default="replace", description="insert: before this cell; the number after the last appends"
    )
    source: str = Field(default="", description="the whole text of the cell")
    type: CellType = Field(default="code", description="of an inserted cell")


TO_MAKE_ONE = (
    ' write_file makes an empty notebook: {"cells": [], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}'
)


async def plan_notebook(arguments: EditNotebook, workspace: Workspace) -> EditPlan:
    """Return the change as it would be made now. **Raises** `WorkspaceError`."""
    try:
        file = await workspace.read(arguments.path)
    except WorkspaceError as problem:
        raise await unreadable(problem, arguments, workspace) from problem
    shown = file.place.shown
    if not file.text.strip():
        raise WorkspaceError(f"{shown} is empty: it is no notebook yet.{TO_MAKE_ONE}")
    try:
        notebook = await asyncio.to_thread(read_notebook, file.text)
        text = _changed(notebook, arguments)
    except WorkspaceError as problem:
        raise WorkspaceError(f"{shown}: {problem}") from problem
    cells = notebook.shown, read_notebook(text).shown
    return EditPlan(f"Edit {shown}", file.place, file, text, description(arguments, shown), cells)


async def unreadable(
    problem: WorkspaceError, arguments: EditNotebook, workspace: Workspace
) -> WorkspaceError:
    """Return the problem of reading the notebook, with what is near its name, or how one is made."""
    is_wanted = isinstance(problem.__cause__, FileNotFoundError) and arguments.action == "insert"
    found = await explained(problem, arguments.path, workspace)
    return WorkspaceError(f"{found}{TO_MAKE_ONE}") if is_wanted else found


def description(arguments: EditNotebook, shown: str) -> str:
    """Return what was done, for the model."""
    done = {"replace": "Changed", "insert": "Inserted", "delete": "Deleted"}[arguments.action]
    return f"{done} cell {arguments.cell} of {shown}."


def check_cell(arguments: EditNotebook, types: Sequence[str]) -> None:
    """Check that there is such a cell, and that it stays of its type. **Raises** `WorkspaceError`."""
    index, count = arguments.cell, len(types)
    if index >= count + (arguments.action == "insert"):
        last = f"the last is {count - 1}" if count else "there is none"
        more = f"insert as cell {count} adds one behind the others" if count else "insert as cell 0 makes one"
        raise WorkspaceError(f"There is no cell {index}: {last}. Read the notebook again; {more}.")
    if arguments.action == "replace" and "source" not in arguments.model_fields_set:
        raise WorkspaceError(
            f"source, the whole new text of cell {index}, is missing; nothing was changed. To take the cell "
            "away, set action to delete."
        )
    if arguments.action != "replace" or "type" not in arguments.model_fields_set:
        return
    if arguments.type != types[index]:
        raise WorkspaceError(
            f"Cell {index} is of the type {types[index]}; nothing was changed. To make it {arguments.type}, "
            "delete it and insert another."
        )


def _changed(notebook: Notebook, arguments: EditNotebook) -> str:
    index = arguments.cell
    check_cell(arguments, [cell.type for cell in notebook.cells])
    if arguments.action == "insert":
        return notebook.with_cell(index, arguments.type, arguments.source)
    if arguments.action == "delete":
        return notebook.without(index)
    return notebook.with_source(index, arguments.source)
