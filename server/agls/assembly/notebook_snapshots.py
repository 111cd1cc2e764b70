"""Files as bytes, with notebooks that are open in the editor as its cells: the port `FileSnapshots`."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import takewhile
from typing import cast

from agls.diff import Patch
from agls.engine.ports import Stale, StoredState, WorkspaceError
from agls.engine.vocabulary import FileChange, FileVersion
from agls.frozen import frozen
from agls.json_values import is_object, list_in, objects_in
from agls.room.folder_ports import FileSnapshots
from agls.room.notebook_ports import CellAction, CellEdit, CellText, CellType, EditorNotebooks, OpenNotebook
from agls.workspace.snapshots import LARGEST
from agls.workspace.texts import hash_of

SUFFIX = ".ipynb"
NOTHING = CellText("code", "")
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
        state = replace(found, digest=hash_of(data), edits=EDITS)
        if not opened.unsaved:
            return state
        return replace(state, data=data, problem="", hash=hash_of(data), known_as=(), version=_version(data))

    async def diff(self, path: str, before: bytes | None, after: bytes | None) -> Patch:
        """Return the change from these bytes to those; of an open notebook the change of its cells."""
        return await self.files.diff(path, before, after)

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
        for edit in _edits(opened.cells, wanted):
            opened = await self.notebooks.edit(opened, edit, label)
        after = _data(opened.cells)
        patch = await self.files.diff(path, before, after)
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


def _edits(now: Sequence[CellText], wanted: Sequence[CellText]) -> Iterator[CellEdit]:
    """Yield the changes that make these cells of those, the last first: numbers before it stay."""
    old, new = ([(cell.type, cell.source) for cell in cells] for cells in (now, wanted))
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, begin, end in reversed(matcher.get_opcodes()):
        if tag == "equal":
            continue
        pairs = zip(old[first:last], new[begin:end], strict=False)
        same = sum(1 for _ in takewhile(lambda pair: pair[0][0] == pair[1][0], pairs))  # their outputs stay
        yield from (_edit(first + same, "delete") for _ in range(first + same, last))
        yield from (_edit(first + same, "insert", cell) for cell in reversed(wanted[begin + same : end]))
        yield from (_edit(first + at, "replace", wanted[begin + at]) for at in range(same))


def _edit(cell: int, action: CellAction, content: CellText = NOTHING) -> CellEdit:
    return CellEdit(cell, action, content.source, cast("CellType", content.type))
