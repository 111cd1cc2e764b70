"""Checkpoints: what files were before the agent changed them, and the way back."""

from agls.features.checkpoints.notes import NOTES
from agls.features.checkpoints.settings import Settings
from agls.room import Room, build_of
from agls.room.folder_ports import BlobStore, FileSnapshots
from agls.room.process_ports import HeldKeys
from agls.room.run_ports import RunInfo
from agls.room.session_ports import Ancestors

ROOM = Room(
    "checkpoints",
    Settings,
    build_of(__name__),
    needs=(FileSnapshots, BlobStore, Ancestors, RunInfo, HeldKeys),
    notes=NOTES,
    has_actions=True,
)
