"""Files as bytes, with notebooks that are open in the editor as its cells: the port `FileSnapshots`."""

import json
from collections.abc import Sequence
from dataclasses import replace

from agls.diff import Patch
from agls.engine.ports import Stale, StoredState, WorkspaceError
from agls.engine.vocabulary import FileChange, FileVersion
from agls.frozen import frozen
from agls.json_values import is_object, list_in, objects_in
from agls.room import OnUse
from agls.room.folder_ports import FileSnapshots
from agls.room.notebook_ports import CellText, EditorNotebooks, OpenNotebook
from agls.workspace.snapshots import LARGEST
from agls.workspace.texts import hash_of

SUFFIX = ".ipynb"
EDITS_OF = OnUse("agls.room.cell_lines", "cell_edits")  # few sessions have an open notebook
TEXT_OF = OnUse("agls.room.cell_lines", "cells_text")
VERSION_OF = OnUse("agls.room.cell_lines", "cells_version")
ONLY_CELLS = OnUse("agls.room.notebook_text", "is_only_cells")
EDITS = 1  # a notebook's count of changes is the editor's own
ODD = "{} is open in the editor as a notebook, and what it was before is none."


@frozen
class NotebookSnapshots:
    """Implements `FileSnapshots`: a notebook with unsaved changes is its cells, without what they printed.

    It is put back cell by cell, by the editor, and is not saved.
    """

    files: FileSnapshots
    notebooks: EditorNotebooks

    def open_documents(self) -> list[str]:
        """Return the paths of the open documents of the workspace, without the hidden ones."""
        return self.files.open_documents()

    def changed_at(self, paths: Sequence[str]) -> Sequence[float]:
        """When each of these was changed last on the disk; 0 for what is not there."""
        return self.files.changed_at(paths)

    async def look(self, path: str, max_bytes: int) -> StoredState:
        """Return the state of this path. **Raises** `WorkspaceError`."""
        found = await self.files.look(path, max_bytes)
        opened = await self._open(found.place.uri)
        if opened is None:
            return found
        data = _data(opened.cells)
        told = VERSION_OF(opened.cells).hash  # as a change by cell names it
        state = replace(found, digest=hash_of(data), edits=EDITS, known_as=(*found.known_as, told))
        if not opened.unsaved:
            return state
        held = _version(data)
        return replace(state, data=data, problem="", hash=held.hash, known_as=(held.hash, told), version=held)

    async def diff(self, path: str, before: bytes | None, after: bytes | None) -> Patch:
        """Return the change from these bytes to those; of an open notebook the change of its cells."""
        texts = _by_cell(before, after) if path.endswith(SUFFIX) and before and after else None
        return await self.files.diff(path, *(texts or (before, after)))

    async def put(
        self, path: str, data: bytes | None, expected: FileVersion, *, mode: int = 0o644, label: str = ""
    ) -> FileChange:
        """Make the file, or the cells of the open notebook, exactly this. **Raises** as the port says."""
        found = await self.look(path, LARGEST)
        opened = await self._open(found.place.uri)
        if opened is None or data is None:
            return await self.files.put(path, data, expected, mode=mode, label=label)
        if found.version.hash != expected.hash:
            raise Stale(f"{found.place.shown} was changed in the meantime.")
        before = _data(opened.cells)
        wanted = _cells(data)
        if wanted is None:
            raise WorkspaceError(ODD.format(found.place.shown))
        for edit in EDITS_OF(opened.cells, wanted):
            opened = await self.notebooks.edit(opened, edit, label)
        after = _data(opened.cells)
        patch = await self.diff(path, before, after)
        return FileChange.of(
            found.place.uri, "modified", _version(before), _version(after), patch, via="editor"
        )

    async def tidy(self, path: str, folder: str) -> None:
        """Remove the empty folders on the way to this path. **Raises** `WorkspaceError`."""
        await self.files.tidy(path, folder)

    async def _open(self, uri: str) -> OpenNotebook | None:
        return await self.notebooks.find(uri) if uri.endswith(SUFFIX) else None


def _version(data: bytes) -> FileVersion:
    return FileVersion(hash_of(data))


def _data(cells: Sequence[CellText]) -> bytes:
    """Return the cells as a notebook has them, without outputs."""
    rows = [{"cell_type": cell.type, "source": cell.source.splitlines(keepends=True)} for cell in cells]
    return (json.dumps({"cells": rows}, indent=1, ensure_ascii=False) + "\n").encode("utf-8", "surrogatepass")


def _by_cell(before: bytes, after: bytes) -> tuple[bytes, bytes] | None:
    """Return two states of a notebook by their cells, where one of them is nothing else."""
    old, new = _cells(before), _cells(after)
    if old is None or new is None or not (ONLY_CELLS(before) or ONLY_CELLS(after)):
        return None
    return TEXT_OF(old).encode("utf-8", "surrogatepass"), TEXT_OF(new).encode("utf-8", "surrogatepass")


def _cells(data: bytes) -> Sequence[CellText] | None:
    """Return the cells of a notebook, `None` when these bytes are none."""
    try:
        held = json.loads(data)
    except ValueError:
        return None
    if not is_object(held) or "cells" not in held:
        return None
    cells = objects_in(held["cells"])
    return [CellText(str(cell.get("cell_type", "raw")), _source(cell.get("source"))) for cell in cells]


def _source(value: object) -> str:
    return value if isinstance(value, str) else "".join(map(str, list_in(value)))
