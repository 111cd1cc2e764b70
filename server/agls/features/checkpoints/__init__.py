"""Checkpoints: what files were before the agent changed them, and the way back."""

from agls.features.checkpoints.feature import build
from agls.features.checkpoints.notes import NOTES
from agls.features.checkpoints.settings import Settings
from agls.room import Room
from agls.room.ports import Ancestors, BlobStore, FileSnapshots

ROOM = Room("checkpoints", Settings, build, needs=(FileSnapshots, BlobStore, Ancestors), notes=NOTES)
