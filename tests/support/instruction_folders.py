"""Instruction files of real folders for tests of rooms, without a whole process."""

from collections.abc import Sequence
from pathlib import Path

from agls.features.instructions.settings import Settings
from agls.instruction_files import Folders, InstructionFiles, OwnInstructions, Surveys
from agls.instruction_files.names import PLACES
from agls.workspace.editor import Editor, NoEditor
from agls.workspace.folder_texts import FolderLook, glob_fits
from agls.workspace.processes import Processes
from agls.workspace.workspace import OpenWorkspace


class FolderGlance:
    """Looks at one folder; `looks` counts how often."""

    def __init__(self, workspace: OpenWorkspace) -> None:
        self._workspace, self.looks = workspace, 0

    def look(self, folders: Folders, own: Sequence[str]) -> FolderLook:
        """Begin a look."""
        self.looks += 1
        return self._workspace.look(folders.roots, folders.above, own)

    def present(self, folders: Sequence[str]) -> list[str]:
        """Name what is there."""
        return [f"{folder}/{name}" for folder in folders for name in PLACES if Path(folder, name).exists()]

    def matches(self, glob: str, path: str) -> bool:
        """Whether a glob fits."""
        return glob_fits(glob, path)


class FolderScene:
    """A workspace with its instruction files."""

    def __init__(self, root: Path, *added: Path, editor: Editor | None = None) -> None:
        self.root, self.added = root, added
        self.settings, self.trusted = Settings(), True
        self.own, self.surveys = OwnInstructions(), Surveys()
        roots = [str(folder) for folder in added]
        self.workspace = OpenWorkspace(str(root), roots, editor or NoEditor(), Processes())
        self.glance = FolderGlance(self.workspace)

    def file(self, path: str, text: str) -> Path:
        """Write a file."""
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        return file

    def folders(self) -> Folders:
        """The folders that count."""
        roots = (str(self.root), *map(str, self.added))
        if not self.trusted:
            return Folders(untrusted=roots)
        above = tuple(self.workspace.folders_above)
        return Folders((*above, *roots), roots, above)

    @property
    def files(self) -> InstructionFiles:
        """The files as a run gets them."""
        return InstructionFiles(self.settings, self.own, self.folders, self.surveys, self.glance)
