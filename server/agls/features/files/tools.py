"""The tools of the room: one function for each."""

from collections.abc import Callable
from functools import partial
from typing import Any

from agls.engine.ports import Effect
from agls.frozen import frozen
from agls.room.folder_ports import PdfReader
from agls.room.notebook_ports import EditorNotebooks
from agls.toolkit import TypedTool

from .editing import EditFile, FileWriter, WriteFile, plan_edit, plan_write, write_targets
from .large import LargeFileEditor
from .memory import FileMemory
from .moving import DeleteFile, MoveFile, as_deletion, as_move, delete_targets, move_targets
from .notebook_editing import EditNotebook, plan_notebook
from .open_notebooks import NotebookWriter
from .patching import ApplyPatch, Patcher, patch_targets, read_patch
from .reading import FileReader, ListDir, ReadFile, describe_list, describe_read, list_dir, read_targets
from .settings import Settings
from .several_edits import MultiEdit, plan_edits

READS = frozenset({Effect.READS})
WRITES = frozenset({Effect.WRITES})


@frozen
class FileServices:
    """What a tool works with: its settings, what the model has seen, and other readers of files."""

    settings: Settings
    memory: FileMemory
    pdf: PdfReader
    notebooks: EditorNotebooks


def read_file(services: FileServices) -> TypedTool[ReadFile]:
    """Return `read_file`."""
    reader = FileReader(services.settings, services.memory, services.pdf, services.notebooks)
    return TypedTool("read_file", ReadFile, reader.read, READS, read_targets, describe_read, output_limit=0)


def list_folder(_: FileServices) -> TypedTool[ListDir]:
    """Return `list_dir`."""
    return TypedTool("list_dir", ListDir, list_dir, READS, read_targets, describe_list)


def edit_file(services: FileServices) -> TypedTool[EditFile]:
    """Return `edit_file`."""
    whole = FileWriter(partial(plan_edit, memory=services.memory), services.memory)
    editor = LargeFileEditor(whole, services.memory)
    return TypedTool("edit_file", EditFile, editor.write, WRITES, write_targets, editor.describe)


def multi_edit(services: FileServices) -> TypedTool[MultiEdit]:
    """Return `multi_edit`."""
    writer = FileWriter(partial(plan_edits, memory=services.memory), services.memory)
    return TypedTool(
        "multi_edit", MultiEdit, writer.write, WRITES, write_targets, writer.describe, load="search"
    )


def write_file(services: FileServices) -> TypedTool[WriteFile]:
    """Return `write_file`."""
    writer = FileWriter(plan_write, services.memory)
    return TypedTool("write_file", WriteFile, writer.write, WRITES, write_targets, writer.describe)


def edit_notebook(services: FileServices) -> TypedTool[EditNotebook]:
    """Return `edit_notebook`."""
    writer = FileWriter(plan_notebook, services.memory)
    cells = NotebookWriter(writer, services.notebooks, services.memory)
    return TypedTool(
        "edit_notebook", EditNotebook, cells.write, WRITES, write_targets, cells.describe, load="search"
    )


def apply_patch(services: FileServices) -> TypedTool[ApplyPatch]:
    """Return `apply_patch`."""
    patcher = Patcher(read_patch, services.memory, services.settings.trash)
    return TypedTool("apply_patch", ApplyPatch, patcher.apply, WRITES, patch_targets, patcher.describe)


def move_file(services: FileServices) -> TypedTool[MoveFile]:
    """Return `move_file`."""
    mover = Patcher(as_move, services.memory, services.settings.trash)
    return TypedTool("move_file", MoveFile, mover.apply, WRITES, move_targets, mover.describe, load="search")


def delete_file(services: FileServices) -> TypedTool[DeleteFile]:
    """Return `delete_file`."""
    remover = Patcher(as_deletion, services.memory, services.settings.trash)
    return TypedTool(
        "delete_file", DeleteFile, remover.apply, WRITES, delete_targets, remover.describe, load="search"
    )


TOOLS: tuple[Callable[[FileServices], TypedTool[Any]], ...] = (
    read_file,
    list_folder,
    edit_file,
    multi_edit,
    write_file,
    edit_notebook,
    apply_patch,
    move_file,
    delete_file,
)
