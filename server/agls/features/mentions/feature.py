"""The wiring of the room."""

from agls.engine.ports import Workspace
from agls.features.mentions.settings import Settings
from agls.room.ports import FileSnapshots


def build(settings: Settings, workspace: Workspace, snapshots: FileSnapshots) -> None:
    """Build nothing: the room acts before a prompt is admitted (`expansion.py`) and takes no part in runs."""
