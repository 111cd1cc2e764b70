"""An edit of one file as it would be made now."""

from collections.abc import Sequence
from dataclasses import replace

from agls.diff import Patch, compare
from agls.engine.ports import FileText, PathInfo
from agls.engine.vocabulary import FileChange
from agls.frozen import frozen
from agls.room.cell_lines import cells_patch
from agls.room.notebook_ports import CellText

NOT_HELD = (
    "{} is too large to be held whole; nothing was changed. edit_file changes one place of it, where the "
    "exact text stands; for several changes use it several times. To replace, move or delete the file use "
    "a command."
)


@frozen
class EditPlan:
    """A file as it is (`None` when there is no such text file), its next text, and the report about it.

    `cells` are those of a notebook, before and after: people are shown what changes of them. Where an
    editor has it open as a text, they are asked about the lines that they see there.
    """

    title: str
    place: PathInfo
    file: FileText | None
    text: str
    report: str
    cells: tuple[Sequence[CellText], Sequence[CellText]] | None = None

    def patch(self) -> Patch:
        """Return what it changes, as people are asked about it."""
        if self.cells and self.file and self.file.source == "disk":
            return cells_patch(self.place.shown, *self.cells)
        return compare(self.place.shown, self.file.text if self.file else None, self.text)

    def with_cells(self, change: FileChange) -> FileChange:
        """Return the change as it was made, with that of the notebook's cells."""
        return (
            replace(change, cells=cells_patch(self.place.shown, *self.cells).text) if self.cells else change
        )
