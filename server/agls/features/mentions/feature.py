"""The wiring of the room."""

from agls.engine.ports import Workspace
from agls.features.mentions.settings import Settings
from agls.room.folder_ports import Diagnostics, FileSnapshots, Uncommitted


def build(
    settings: Settings,
    workspace: Workspace,
    snapshots: FileSnapshots,
    uncommitted: Uncommitted,
    diagnostics: Diagnostics,
) -> None:
    """Build nothing: the room acts before a prompt is admitted (`expansion.py`) and takes no part in runs."""
