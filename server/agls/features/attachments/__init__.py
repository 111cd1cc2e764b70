"""Files that the user attached to a prompt, within reach of the tools."""

from agls.features.attachments.feature import build
from agls.features.attachments.settings import Settings
from agls.room import Room
from agls.room.ports import BlobStore, FileSnapshots, RunInfo

ROOM = Room("attachments", Settings, build, needs=(RunInfo, BlobStore, FileSnapshots))
