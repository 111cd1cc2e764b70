"""Where the instruction files of a session are looked for: the port `InstructionFiles`."""

from collections.abc import Iterator, Sequence
from functools import lru_cache, partial
from pathlib import Path

from agls.assembly.services import RunServices
from agls.config.folders import managed_file
from agls.frozen import frozen
from agls.instruction_files import Folders, InstructionFiles, OwnInstructions
from agls.instruction_files.names import PLACES
from agls.room.exposed import InstructionLimits
from agls.room.session_ports import JUDGES
from agls.workspace.folder_texts import FolderLook, glob_fits
from agls.workspace.workspace import OpenWorkspace

FILE = "AGENTS.md"  # beside a config file


@frozen
class WorkspaceGlance:
    """Implements `Glance` with a workspace."""

    workspace: OpenWorkspace

    def look(self, folders: Folders, own: Sequence[str]) -> FolderLook:
        """Begin a look."""
        return self.workspace.look(folders.roots, folders.above, own)

    def present(self, folders: Sequence[str]) -> Sequence[str]:
        """**Returns** what is there under the names of instruction files. Nothing is opened."""
        return list(_present(folders))

    def matches(self, glob: str, path: str) -> bool:
        """**Returns** whether a glob fits a path."""
        return glob_fits(glob, path)


def instruction_files(run: RunServices) -> InstructionFiles:
    """**Returns** the instruction files of a run's session."""
    settings = run.config.exposed(InstructionLimits)
    setup = run.setup
    own = _own(setup.config_file, setup.environment.get("HOME", ""))
    glance = WorkspaceGlance(run.folder)
    return InstructionFiles(settings, own, partial(folders_of, run), run.process.surveys, glance)


@lru_cache(maxsize=8)  # every run asks, and the places stay the same
def _own(config_file: Path, home: str) -> OwnInstructions:
    """**Returns** where the instructions of the user and of the machine are."""
    return OwnInstructions(
        str(managed_file().with_name(FILE)),
        str(config_file.with_name(FILE)),
        str(Path(home, ".claude", "CLAUDE.md")) if home else "",
        home,
    )


def folders_of(run: RunServices) -> Folders:
    """**Returns** the folders of a run's session in which texts for agents count: none to one that judges."""
    if run.info.options.get(JUDGES) is True:
        return Folders()
    workspace, setup = run.folder, run.setup
    roots = tuple(root for root in workspace.roots if setup.trusts_folder(root))
    above = tuple(workspace.folders_above) if workspace.root in roots else ()
    untrusted = tuple(root for root in workspace.roots if root not in roots)
    return _folders(roots, above, untrusted)


@lru_cache(maxsize=16)  # what is known of them is found by them, which is quick for the same object
def _folders(roots: tuple[str, ...], above: tuple[str, ...], untrusted: tuple[str, ...]) -> Folders:
    return Folders((*above, *roots), roots, above, untrusted)


def _present(folders: Sequence[str]) -> Iterator[str]:
    for folder in folders:
        for name in PLACES:
            path = Path(folder, name)
            if path.exists():
                yield str(path)
